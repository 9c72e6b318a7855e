#pragma once

#include "ui/bridge/run_queue.hpp"

#include <QObject>

#include <string>

namespace lowtide::ui {

/// Writes to the log how runs begin and end. `queue` must outlive it.
class RunLog : public QObject {
    Q_OBJECT

public:
    explicit RunLog(const RunQueue& queue, QObject* parent = nullptr);

private:
    void reportBegin(quint64 id);
    void reportEnd(quint64 id);

    const RunQueue& queue_;
};

/// "run 3: finished after 12.4 s, nodes executed: 5, files written: 1", and its warnings and
/// errors.
[[nodiscard]] std::string endText(const QueuedRun& run);

}  // namespace lowtide::ui
