#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/studio/actions.hpp"
#include "ui/studio/run_strip.hpp"

#include <QToolBar>
#include <QToolButton>

namespace lowtide::ui {

/// Run and cancel on the left, what the run will need in the middle, the zoom on the right.
class StudioToolBar : public QToolBar {
    Q_OBJECT

public:
    explicit StudioToolBar(const Actions& actions, QWidget* parent = nullptr);

    void setBusy(bool isBusy);
    /// The run at work; nullptr: none.
    void setRun(const QueuedRun* run);
    void setPlanned(const Planned& planned);
    /// In percent.
    void setZoom(double percent);

Q_SIGNALS:
    /// The summary of device and budget was clicked.
    void memoryAsked();

private:
    const Actions& actions_;
    QToolButton* cancel_;
    RunStrip* strip_;
    QAction* stripPlace_;  ///< a tool bar shows and hides its widgets by actions
    QToolButton* memory_;
    QToolButton* zoom_;
};

}  // namespace lowtide::ui
