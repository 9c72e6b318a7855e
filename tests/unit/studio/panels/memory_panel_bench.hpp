#pragma once
// The memory panel over a scripted module, with the recorded plan and run.

#include "tests/unit/studio/panels/panel_bench.hpp"
#include "tests/unit/studio/panels/recorded.hpp"
#include "ui/panels/memory_panel.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace lowtide::ui {

inline constexpr int kPanelPatience = 20000;
inline const Json kFine = {{"issues", Json::array()}};

[[nodiscard]] inline Json planned() {
    return {{"issues", Json::array()}, {"plan", recorded("plan.json")}};
}

[[nodiscard]] inline Json infeasible() {
    return {{"issues",
             {{{"severity", "error"},
               {"code", "memory_infeasible"},
               {"node", "denoise"},
               {"item", "memory"},
               {"message",
                "node denoise needs 17.1 MiB: 16.1 MiB of weights, 929.0 KiB of activations and "
                "33.0 KiB of other values do not fit into 10.0 MiB on fake; the whole run needs "
                "at least 20.0 MiB"},
               {"hint", "set the memory policy of denoise to auto: it then needs 2.1 MiB"},
               {"facts",
                {{"node", "denoise"},
                 {"device", "fake"},
                 {"needed", 17930000},
                 {"capacity", 10485760},
                 {"minimum", 20897792},
                 {"budget", 20897792},
                 {"policy", "auto"}}}}}}};
}

/// Plays the recorded run.
inline Json playsTheRecordedRun(ScriptedRunner::Stage& stage) {
    for (const Json& event : recordedEvents()) {
        if (event["event"] != "runFinished") {
            stage.send(event);
        }
    }
    return recorded("report.json");
}

/// The panel, as wide as a docked one.
struct PanelOnBench : PanelBench {
    MemoryPanel panel{{model, planning, queue, feed, maintenance}};

    PanelOnBench() {
        panel.resize(320, 900);
        panel.show();
    }

    template <typename T>
    T* find(const char* name) {
        return panel.findChild<T*>(name);
    }

    /// The module answers so from now on, and is asked.
    void ask(const Json& plan, Status status = Status::Ok) {
        runner().setAnswers(kFine, plan, status);
        planning.askNow();
    }

    [[nodiscard]] QString summary() { return find<QLabel>("summary")->text(); }

    void unfold() {
        QTest::mouseClick(find<QWidget>("details")->findChild<QToolButton*>("fold"),
                          Qt::LeftButton);
    }

    quint64 runToEnd() {
        const quint64 id = queue.add("title", graph::toText(model.document()), Json::object());
        [&] {
            QTRY_VERIFY_WITH_TIMEOUT(!queue.running() && !queue.find(id)->report.is_null(),
                                     kPanelPatience);
        }();
        return id;
    }
};

}  // namespace lowtide::ui
