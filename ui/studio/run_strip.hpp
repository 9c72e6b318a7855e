#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QLabel>
#include <QProgressBar>
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

}  // namespace lowtide::ui
