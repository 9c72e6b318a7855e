#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QWidget>

class QLabel;
class QListView;
class QToolButton;

namespace lowtide::ui {

class QueueRows;

/// The runs with thumbnail, state and progress: pause, order, cancel, retry, remove.
class QueuePanel : public QWidget {
    Q_OBJECT

public:
    /// `queue` outlives the panel.
    explicit QueuePanel(RunQueue& queue, QWidget* parent = nullptr);

    /// 0: none is selected.
    [[nodiscard]] quint64 selectedRun() const;
    void select(quint64 id);

public Q_SLOTS:
    void cancelSelected();  ///< after this image; a waiting one at once
    void cancelSelectedNow();
    void retrySelected();
    void runSelectedAnew();  ///< also what is kept from earlier runs
    void removeSelected();
    void takeSelectedAway();
    /// The selected run, which waits, earlier (-1) or later (1).
    void moveSelected(int by);
    void removeEnded();

Q_SIGNALS:
    /// "Open graph of this run".
    void graphRequested(quint64 id);
    /// The run at work is the last one: what waits is taken back.
    void stopAfterThisAsked();
    /// A run was activated: its picture shall be shown.
    void pictureRequested(quint64 id);

private:
    void build();
    void selectAsBefore();
    void adjust();
    void showMenu(const QPoint& point);

    /// What was selected before the list changed; 0: the run is gone, -1: nothing was.
    struct Selected {
        quint64 id = 0;
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
