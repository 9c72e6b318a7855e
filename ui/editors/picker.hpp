#pragma once

#include <QFrame>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

class QLineEdit;
class QListView;
class QModelIndex;
class QStandardItemModel;

namespace lowtide::ui {

/// A list that typing narrows. The keyboard remains in the field: arrows and pages choose, Return
/// takes, as a click does.
class Picker : public QFrame {
    Q_OBJECT

public:
    /// Makes the rows for what is typed, best first.
    using Fill = std::function<void(QStandardItemModel& rows, const QString& words)>;

    /// `space` lies around field and list, and between them. Nothing is listed before refresh().
    Picker(const QString& placeholder,
           int space,
           Fill fill,
           QWidget* parent,
           Qt::WindowFlags flags = {});

    [[nodiscard]] QLineEdit& field() const { return *field_; }

    [[nodiscard]] QListView& list() const { return *list_; }

    [[nodiscard]] QStandardItemModel& rows() const { return *rows_; }

    /// Fills the list again; the first row that can be taken is the current one.
    void refresh();

Q_SIGNALS:
    /// Another row; -1: none.
    void currentChanged(int row);
    void taken(int row);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    /// Has the text of the current row spoken, or without one why there is none: the list has no
    /// keyboard, so nobody else announces it.
    void announceCurrent(const QString& otherwise);

private:
    void take(const QModelIndex& row);

    Fill fill_;
    QLineEdit* field_;
    QListView* list_;
    QStandardItemModel* rows_;
};

/// One thing to choose. `detail` stands behind the label, muted.
struct SearchItem {
    QString label;
    QString detail{};
    QString tooltip{};
    bool isEnabled = true;
    std::function<void()> choose{};
};

/// A list with a search field that opens below a widget. All words typed must occur in label or
/// detail. Enter or a click chooses, Escape closes.
class SearchList : public Picker {
    Q_OBJECT

public:
    SearchList(std::vector<SearchItem> items, QWidget* parent);

    /// Opens below `anchor`, or above where there is no space; `current` may be -1. The list
    /// deletes itself when it closes.
    void openAt(const QWidget& anchor, int current);

private:
    void fill(QStandardItemModel& rows, const QString& words) const;

    std::vector<SearchItem> items_;
    std::optional<int> announced_;  ///< the item that was announced last; -1: that none fits
};

/// Whether all words are in the text; case does not matter.
[[nodiscard]] bool hasWords(const QString& text, const QString& words);

/// Moves a list below the anchor, or above where there is no space, and within the owner's screen.
/// The anchor is in global coordinates.
void moveBelow(QWidget& list, const QRect& anchor, const QWidget& owner);

}  // namespace lowtide::ui
