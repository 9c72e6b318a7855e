#pragma once

#include <QString>
#include <QToolButton>
#include <QWidget>

class QAbstractItemView;
class QStyleOptionViewItem;

namespace lowtide::ui {

/// Where keys come to the list and no row is selected, the current or first one is: what the keys
/// do is done with a row. Qt makes it current alone, and in a list of one no key selects it.
void selectRowForKeys(QAbstractItemView& list);

/// For the sizes that a delegate gives: how wide a cell is when as many as fit of `least` pixels
/// fill the width of the view.
[[nodiscard]] int filledWidth(const QStyleOptionViewItem& option, int least);

/// What an empty panel shows: what would be here, and how to get it.
struct EmptyState {
    const char* icon = "info";
    QString title;
    QString text;
};

/// A calm page with it in the middle.
[[nodiscard]] QWidget* makeEmptyState(const EmptyState& state, QWidget* parent);

/// A part of a panel with a title that folds it away. Its content keeps its place in the
/// order of the keyboard.
class Fold : public QWidget {
    Q_OBJECT

public:
    Fold(const QString& title, QWidget* content, bool isOpen, QWidget* parent = nullptr);

    void setTitle(const QString& title);

    [[nodiscard]] const QString& title() const { return title_; }

    void setOpen(bool isOpen);
    [[nodiscard]] bool isOpen() const;
    /// A word behind the title that is read while it is folded: "block+stream".
    void setSummary(const QString& summary);

Q_SIGNALS:
    void switchedByUser(bool isOpen);

private:
    void refresh();

    QString title_;
    QString summary_;
    QToolButton* button_;
    QWidget* content_;
};

}  // namespace lowtide::ui
