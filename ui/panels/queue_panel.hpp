#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QAbstractListModel>
#include <QListView>
#include <QWidget>

#include <functional>
#include <vector>

class QBoxLayout;
class QLabel;
class QToolButton;

namespace lowtide::ui {

class ElidedLabel;

/// What a list of runs has.
enum class QueueSection {
    Open,  ///< the running one, then those that wait, which can be dragged to another position
    Ended  ///< the newest first
};

/// The runs of one section as a list.
class QueueRows : public QAbstractListModel {
    Q_OBJECT

public:
    QueueRows(RunQueue& queue, QueueSection section, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    [[nodiscard]] QStringList mimeTypes() const override;
    bool dropMimeData(const QMimeData* data,
                      Qt::DropAction action,
                      int row,
                      int column,
                      const QModelIndex& parent) override;

    /// nullptr: no such row.
    [[nodiscard]] const QueuedRun* runAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(quint64 id) const;

    /// `index` must be of a row.
    [[nodiscard]] quint64 idAt(const QModelIndex& index) const {
        return ids_.at(static_cast<size_t>(index.row()));
    }

private:
    void rebuild();

    RunQueue& queue_;
    const QueueSection section_;
    std::vector<quint64> ids_;
};

/// A list of runs that remains where it is while they come and go: a run that leaves it is no
/// longer selected, and no other one in its stead, unless the user took it away.
class RunList : public QListView {
    Q_OBJECT

public:
    RunList(QueueRows* rows, QueueSection section, QWidget* parent);

    [[nodiscard]] int count() const { return rows_.rowCount({}); }

    /// In the order of the list.
    [[nodiscard]] std::vector<quint64> selectedRuns() const;
    /// Those of them that it has; none: what is selected remains.
    void select(const std::vector<quint64>& runs);
    /// Where `act` takes the selected rows away, the one behind them is selected next.
    void takeAway(const std::function<void()>& act);
    [[nodiscard]] int rowHeight() const;

private:
    void keep();
    void comeBack();

    /// Before the rows changed. Numbers of runs; 0: none.
    struct Kept {
        std::vector<quint64> selected;
        int row = -1;  ///< the first selected one; -1: none
        quint64 current = 0;
        quint64 top = 0;  ///< first in sight, unless that is the first of all
    };

    QueueRows& rows_;
    Kept kept_;
    bool isTaking_ = false;
};

/// "running, 45 %", "done in 12.4 s, 2 files", "nothing to do: every result was kept".
[[nodiscard]] QString stateText(const QueuedRun& run);

/// The runs with thumbnail, state and progress. Those at work or waiting are always in sight, above
/// those that have ended or, in a low panel, next to them.
class QueuePanel : public QWidget {
    Q_OBJECT

public:
    /// `queue` outlives the panel.
    explicit QueuePanel(RunQueue& queue, QWidget* parent = nullptr);

    /// 0: none is selected, or several are.
    [[nodiscard]] quint64 selectedRun() const;
    /// In the order of the lists.
    [[nodiscard]] std::vector<quint64> selectedRuns() const;
    void select(const std::vector<quint64>& runs);

    /// Of one list.
    [[nodiscard]] QSize minimumSizeHint() const override;

public Q_SLOTS:
    void cancelSelected();  ///< after this image; waiting ones at once
    void cancelSelectedNow();
    void retrySelected();
    void runSelectedAgain();  ///< also what is kept from earlier runs
    void removeSelected();
    /// Ended ones leave the list, waiting ones are cancelled and do, too.
    void takeSelectedAway();
    /// The selected runs that wait, as one block, earlier (-1) or later (1).
    void moveSelected(int by);
    void clearWaiting();
    void clearHistory();
    /// What was taken away last is there again, where it was.
    void undoRemove();

Q_SIGNALS:
    /// "Open graph of this run".
    void graphRequested(quint64 id);
    /// The run at work is the last one: what waits is taken back.
    void stopAfterThisAsked();
    void clearWaitingAsked();
    /// A run was activated: its image shall be shown.
    void imageRequested(quint64 id);
    /// What was taken away, as a sentence; undoRemove() brings it back.
    void removed(const QString& sentence);
    void returned();

protected:
    void resizeEvent(QResizeEvent* event) override;
    /// Of the lists: their Ctrl+Z before the window's, while there is something to undo.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void makeTools();
    void connectList(RunList& list, RunList& other);
    void adjust();
    void arrange();
    void showLists();
    [[nodiscard]] std::vector<quint64> runsThat(bool (*is)(const QueuedRun& run)) const;
    [[nodiscard]] std::vector<quint64> selectedThat(bool (*are)(const QueuedRun& run)) const;
    void takeAway(const std::vector<quint64>& runs);
    void cancelChosen(CancelMode mode);
    void retryChosen(const Json& more);
    void showMenu(const QPoint& point);

    /// What was taken away last.
    struct Removal {
        std::vector<QueuedRun> waiting;
        std::vector<quint64> order;  ///< of all that waited
        std::vector<QueuedRun> ended;

        [[nodiscard]] bool isEmpty() const { return waiting.empty() && ended.empty(); }
    };

    RunQueue& queue_;
    Removal removal_;
    RunList* open_;
    RunList* ended_;
    ElidedLabel* openTitle_;
    ElidedLabel* endedTitle_;
    QLabel* empty_;
    QWidget* openPart_;
    QWidget* endedPart_;
    QBoxLayout* parts_ = nullptr;
    QToolButton* pause_ = nullptr;
    QToolButton* last_ = nullptr;
    QToolButton* cancel_ = nullptr;
    QToolButton* clearWaiting_ = nullptr;
    QToolButton* retry_ = nullptr;
    QToolButton* openGraph_ = nullptr;
    QToolButton* remove_ = nullptr;
    QToolButton* clearHistory_ = nullptr;
};

}  // namespace lowtide::ui
