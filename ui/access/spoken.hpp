#pragma once

#include <QAccessible>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <utility>

namespace lowtide::ui {

/// What a painted widget reports to assistive technology in addition to its name and tooltip.
/// valueSpoken() and stateSpoken() report what changed.
class Spoken {
public:
    Spoken();
    virtual ~Spoken() = default;

    [[nodiscard]] virtual QAccessible::Role spokenRole() const = 0;

    /// What it shows now, in words.
    [[nodiscard]] virtual QString spokenText() const = 0;

    /// Flags beyond those of every widget.
    virtual void addSpokenState(QAccessible::State& /*state*/) const {}

    /// Names of QAccessibleActionInterface.
    [[nodiscard]] virtual QStringList spokenActions() const { return {}; }

    virtual void act(const QString& /*action*/) {}
};

/// The same of a widget that shows one number, which can be set.
class SpokenNumber : public Spoken {
public:
    [[nodiscard]] virtual QVariant spokenNumber() const = 0;
    virtual void takeNumber(const QVariant& number) = 0;

    struct Range {
        QVariant least, most, step;  ///< null: without
    };

    [[nodiscard]] virtual Range spokenRange() const = 0;
};

/// Makes every Spoken, and lists that show a choice, known to Qt's accessibility; again is nothing.
void installAccess();
/// What the widget shows is another: its number, or, for one without, its words.
void valueSpoken(QWidget& widget);
/// The flag, set in `changed`, is another.
void stateSpoken(QWidget& widget, const QAccessible::State& changed);

/// The text interfaces of a thing that holds one text, without cursor and selection. Whoever is
/// read replaces the text as a whole.
class PlainText : public QAccessibleTextInterface, public QAccessibleEditableTextInterface {
public:
    PlainText(std::function<QString()> read, std::function<void(const QString&)> write)
        : read_(std::move(read)), write_(std::move(write)) {}

    void selection(int, int* start, int* end) const override { *start = *end = 0; }

    [[nodiscard]] int selectionCount() const override { return 0; }

    void addSelection(int, int) override {}

    void removeSelection(int) override {}

    void setSelection(int, int, int) override {}

    [[nodiscard]] int cursorPosition() const override { return 0; }

    void setCursorPosition(int) override {}

    [[nodiscard]] QString text(int start, int end) const override;

    [[nodiscard]] int characterCount() const override { return static_cast<int>(read_().size()); }

    [[nodiscard]] QRect characterRect(int) const override { return {}; }

    [[nodiscard]] int offsetAtPoint(const QPoint&) const override { return 0; }

    void scrollToSubstring(int, int) override {}

    QString attributes(int offset, int* start, int* end) const override;

    void deleteText(int start, int end) override { replaceText(start, end, {}); }

    void insertText(int at, const QString& text) override { replaceText(at, at, text); }

    void replaceText(int start, int end, const QString& text) override;

private:
    std::function<QString()> read_;
    std::function<void(const QString&)> write_;
};

}  // namespace lowtide::ui
