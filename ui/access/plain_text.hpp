#pragma once

#include <QAccessible>
#include <QString>

namespace lowtide::ui {

/// The text interfaces of a thing that holds one text, without cursor and selection. Whoever is
/// read replaces the text as a whole.
class PlainText : public QAccessibleTextInterface, public QAccessibleEditableTextInterface {
public:
    [[nodiscard]] virtual QString plainText() const = 0;
    virtual void setPlainText(const QString& text) = 0;

    void selection(int index, int* start, int* end) const override;

    [[nodiscard]] int selectionCount() const override { return 0; }

    void addSelection(int, int) override {}

    void removeSelection(int) override {}

    void setSelection(int, int, int) override {}

    [[nodiscard]] int cursorPosition() const override { return 0; }

    void setCursorPosition(int) override {}

    [[nodiscard]] QString text(int start, int end) const override;
    [[nodiscard]] int characterCount() const override;

    [[nodiscard]] QRect characterRect(int) const override { return {}; }

    [[nodiscard]] int offsetAtPoint(const QPoint&) const override { return 0; }

    void scrollToSubstring(int, int) override {}

    QString attributes(int offset, int* start, int* end) const override;

    void deleteText(int start, int end) override;
    void insertText(int offset, const QString& text) override;
    void replaceText(int start, int end, const QString& text) override;
};

}  // namespace lowtide::ui
