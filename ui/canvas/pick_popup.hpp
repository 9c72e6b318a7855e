#pragma once

#include <QFrame>
#include <QPoint>
#include <QString>

class QLabel;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace lowtide::ui {

/// A list over the canvas that typing narrows: arrows choose, Enter takes, Escape closes.
class PickPopup : public QFrame {
    Q_OBJECT

public:
    /// `name`: its object name, the start of those of its parts.
    PickPopup(const QString& name, const QString& placeholder, QWidget* parent);

Q_SIGNALS:
    /// Another row; -1: none.
    void currentChanged(int row);
    void closed();

protected:
    /// Opens near `at` (of the parent), within it.
    void openAt(QPoint at);

    /// The rows for the pattern, each made by SearchRow.
    virtual void fill(QStandardItemModel& rows, const QString& pattern) = 0;
    /// The lines below the list; row -1: there is none, and why.
    [[nodiscard]] virtual QString detailOf(int row) const = 0;
    virtual void take(int row) = 0;

    bool eventFilter(QObject* watched, QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void refresh();
    void moveCurrent(int steps);
    void takeCurrent();
    void showDetail();
    void placeWithin(QPoint at);

    QLineEdit* pattern_;
    QListView* list_;
    QStandardItemModel* rows_;
    QLabel* detail_;
};

}  // namespace lowtide::ui
