#pragma once

#include "ui/bridge/run_control.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/studio/actions.hpp"

#include <QLabel>
#include <QProgressBar>
#include <QSpinBox>
#include <QToolBar>
#include <QToolButton>
#include <QWidget>

namespace lowtide::ui {

/// How far the run at work is, in the tool bar: a bar, and below it what it does and for how long
/// still.
class RunStrip : public QWidget {
    Q_OBJECT

public:
    explicit RunStrip(QWidget* parent = nullptr);

    void setRun(const QueuedRun& run);

private:
    QProgressBar* bar_;
    QLabel* text_;
};

/// Run, how often, cancel and how far the run is on the left, the zoom on the right.
class StudioToolBar : public QToolBar {
    Q_OBJECT

public:
    explicit StudioToolBar(const Actions& actions, QWidget* parent = nullptr);

    /// How many runs one press of Run queues.
    [[nodiscard]] int times() const { return times_->value(); }

    void setTimes(int times) { times_->setValue(times); }

    void setBusy(bool isBusy);
    /// The run at work; nullptr: none.
    void setRun(const QueuedRun* run);
    /// In percent.
    void setZoom(double percent);

private:
    void addRun();

    const Actions& actions_;
    QSpinBox* times_;
    QToolButton* cancel_;
    RunStrip* strip_;
    QToolButton* zoom_;
};

}  // namespace lowtide::ui
