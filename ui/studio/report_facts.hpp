#pragma once

#include "ui/bridge/problem_report.hpp"
#include "ui/studio/workspace.hpp"

namespace lowtide::ui {

/// What a report may say of the open graph, its plan, and the run that ended last.
[[nodiscard]] ReportFacts reportFacts(Workspace& workspace);

}  // namespace lowtide::ui
