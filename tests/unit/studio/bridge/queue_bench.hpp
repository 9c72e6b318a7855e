#pragma once

#include "plugin/base/json.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "ui/bridge/run_queue.hpp"

#include <QtTest/QtTest>

namespace lowtide::ui {

/// How long tests wait for runs, in milliseconds: many times what a loaded machine needs.
inline constexpr int kPatience = 60000;

/// A run of two nodes that lasts until somebody cancels it or opens the gate.
inline Json waitsAtTheGate(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"a", "b"}}, {"repetitions", 1}});
    stage.waitAtGate();
    const bool isCancelled = stage.cancelled() != CancelMode::No;
    return {{"status", isCancelled ? "cancelled" : "ok"}, {"executed", isCancelled ? 1 : 2}};
}

inline QList<quint64> order(const RunQueue& queue) {
    QList<quint64> ids;
    for (const QueuedRun& run : queue.runs()) {
        ids.push_back(run.id);
    }
    return ids;
}

/// By qWaitFor(), which looks five times as often as QTRY_VERIFY(): tests wait for hundreds of
/// runs.
inline void waitUntilEnded(RunQueue& queue, quint64 id) {
    QVERIFY(QTest::qWaitFor(
        [&] {
            const RunState state = queue.find(id)->state;
            return state != RunState::Waiting && state != RunState::Running;
        },
        kPatience));
}

}  // namespace lowtide::ui
