#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QAbstractListModel>
#include <QWidget>

#include <vector>

class QLabel;
class QListView;
class QToolButton;

namespace lowtide::ui {

/// The runs as a list: the running one, those that wait in their order, then ended ones, the newest
/// first. Waiting ones can be dragged to another position.
class QueueRows : public QAbstractListModel {
    Q_OBJECT

public:
    explicit QueueRows(RunQueue& queue, QObject* parent = nullptr);

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
    std::vector<quint64> ids_;
};

/// "running, 45 %", "done in 12.4 s, 2 files", "nothing to do: every result was kept".
[[nodiscard]] QString stateText(const QueuedRun& run);

/// The runs with thumbnail, state and progress: pause, order, cancel, retry, remove.
class QueuePanel : public QWidget {
    Q_OBJECT

public:
    /// `queue` outlives the panel.
    explicit QueuePanel(RunQueue& queue, QWidget* parent = nullptr);

    /// 0: none is selected, or several are.
    [[nodiscard]] quint64 selectedRun() const;
    /// In the order of the list.
    [[nodiscard]] std::vector<quint64> selectedRuns() const;
    void select(const std::vector<quint64>& runs);

public Q_SLOTS:
    void cancelSelected();  ///< after this image; waiting ones at once
    void cancelSelectedNow();
    void retrySelected();
    void runSelectedAgain();  ///< also what is kept from earlier runs
    void removeSelected();
    void takeSelectedAway();
    /// The selected runs that wait, as one block, earlier (-1) or later (1).
    void moveSelected(int by);
    void removeEnded();

Q_SIGNALS:
    /// "Open graph of this run".
    void graphRequested(quint64 id);
    /// The run at work is the last one: what waits is taken back.
    void stopAfterThisAsked();
    /// A run was activated: its image shall be shown.
    void imageRequested(quint64 id);

private:
    void build();
    void selectAsBefore();
    void adjust();
    [[nodiscard]] std::vector<quint64> selectedThat(bool (*are)(const QueuedRun& run)) const;
    void cancelChosen(CancelMode mode);
    void retryChosen(const Json& more);
    void showMenu(const QPoint& point);

    /// What was selected before the list changed; -1: nothing was.
    struct Selected {
        std::vector<quint64> runs;
        int row = -1;
    };

    RunQueue& queue_;
    Selected before_;
    QueueRows* rows_;
    QListView* list_;
    QLabel* empty_;
    QToolButton* pause_ = nullptr;
    QToolButton* last_ = nullptr;
    QToolButton* cancel_ = nullptr;
    QToolButton* retry_ = nullptr;
    QToolButton* open_ = nullptr;
    QToolButton* remove_ = nullptr;
};

}  // namespace lowtide::ui
