#pragma once

#include "ui/bridge/queue_progress.hpp"

#include <QString>

namespace lowtide::ui {

/// How far the queue is, in three parts; what is not known, and the count of a single run, is
/// empty.
struct QueueWords {
    QString count;  ///< "2 of 10"; empty for a run that is alone
    QString phase;  ///< "step 6 of 20", else "34 %"
    QString left;   ///< "1:40 left"
};

[[nodiscard]] QueueWords queueWords(const QueueProgress& progress);
/// "2 of 10 · step 6 of 20 · 1:40 left".
[[nodiscard]] QString joined(const QueueWords& words);
/// The name of the queue's panel: "Queue (2/10)" while a run is at work, "Queue (10)" while all
/// wait.
[[nodiscard]] QString queueTabText(const QueueProgress& progress);
/// The title of a window: "(2/10, 34 %) " in front of it while a run is at work.
[[nodiscard]] QString titleWith(const QueueProgress& progress, const QString& title);

}  // namespace lowtide::ui
