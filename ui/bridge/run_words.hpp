#pragma once

#include "ui/document/graph_model.hpp"
#include "ui/history/run_record.hpp"

namespace lowtide::ui {

/// What the runs of a graph are found by; `name` is the document's.
[[nodiscard]] RunWords wordsOf(const GraphModel& model, const QString& name);

}  // namespace lowtide::ui
