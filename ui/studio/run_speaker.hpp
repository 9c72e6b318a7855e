#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QObject>
#include <QWidget>

namespace lowtide::ui {

/// Has assistive technology say how a run ended, and that the graph has issues that it had not.
class RunSpeaker : public QObject {
    Q_OBJECT

public:
    /// All must outlive it; sentences are said on behalf of the window.
    RunSpeaker(QWidget& window, const RunQueue& queue, QObject* parent = nullptr);

public Q_SLOTS:
    /// The issues that a person sees now.
    void sayIssues(int errors, int warnings);

private:
    void sayEnd(const QueuedRun& run);

    QWidget& window_;
    int errors_ = 0;
    int warnings_ = 0;
};

/// "The run “lighthouse” finished in 12.4 s. Saved a.png." for one that has ended.
[[nodiscard]] QString endSentence(const QueuedRun& run);

}  // namespace lowtide::ui
