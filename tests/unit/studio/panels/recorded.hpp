#pragma once

#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"

#include <vector>

namespace lowtide::ui {

/// What the module reported of examples/graphs/text_to_image.json on `fake:64MiB` with a budget of
/// 8 MiB: "plan.json", "report.json" (two steps; every eighth copy and eviction of it),
/// and "beyond.json" of `--policy denoise=none` with the least budget for that.
[[nodiscard]] inline Json recorded(const QString& name) {
    const QByteArray text =
        testing::contentsOf(testing::sourcePath("tests/unit/studio/panels/recorded/" + name));
    return Json::parse(text.toStdString());
}

/// The events of that run.
[[nodiscard]] inline std::vector<Json> recordedEvents() {
    const QByteArray text =
        testing::contentsOf(testing::sourcePath("tests/unit/studio/panels/recorded/events.jsonl"));
    std::vector<Json> events;
    for (const QByteArray& line : text.split('\n')) {
        if (!line.isEmpty()) {
            events.push_back(Json::parse(line.toStdString()));
        }
    }
    return events;
}

}  // namespace lowtide::ui
