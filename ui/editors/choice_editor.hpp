#pragma once

#include "ui/editors/param_editor.hpp"

#include <QComboBox>
#include <QFrame>
#include <QString>

#include <vector>

class QLineEdit;
class QListWidget;

namespace lowtide::ui {

/// One thing to choose. `detail` stands behind the label, muted.
struct SearchItem {
    QString label;
    QString detail;
    bool isEnabled = true;
    QString tooltip{};
};

/// A list with a search field that opens below a widget. All words typed must occur in label or
/// detail. Enter or a click chooses, Escape closes.
class SearchList : public QFrame {
    Q_OBJECT

public:
    SearchList(std::vector<SearchItem> items, QWidget* parent);

    /// Opens below `anchor`, or above where there is no space; `current` may be -1. The list
    /// deletes itself when it closes.
    void openAt(const QWidget& anchor, int current);

Q_SIGNALS:
    void chosen(int index);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void chooseRow(int row);

    std::vector<SearchItem> items_;
    QLineEdit* search_;
    QListWidget* list_;
};

/// From this many choices on the list has a search field.
inline constexpr int kSearchableFrom = 9;

/// A combo box that leaves the wheel to the panel behind it while it has no focus, and opens a
/// searchable list where there are many choices.
class ChoiceBox : public QComboBox {
    Q_OBJECT

public:
    explicit ChoiceBox(QWidget* parent = nullptr);

    /// Shows the item with this data; a value that is not in the list is shown as the text.
    void showItem(const QVariant& id, const QString& textOtherwise);
    /// Greys an item out, with the reason as its tooltip; empty: it may be chosen.
    void setRefusal(int index, const QString& reason);

    void showPopup() override;

protected:
    void wheelEvent(QWheelEvent* event) override;

private:
    [[nodiscard]] std::vector<SearchItem> items() const;
};

/// One of a list, searchable where the list is long.
class ChoiceEditor : public ValueEditor {
    Q_OBJECT

public:
    ChoiceEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;

protected:
    void showValue() override;

private:
    ChoiceBox* box_;
};

}  // namespace lowtide::ui
