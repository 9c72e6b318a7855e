#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/history/run_record.hpp"

namespace lowtide::ui {

/// What the runs of a graph are found by; `name` is the document's.
[[nodiscard]] RunWords runWordsOf(const graph::Document& document,
                                  const graph::Catalog& catalog,
                                  const QString& name);

}  // namespace lowtide::ui
