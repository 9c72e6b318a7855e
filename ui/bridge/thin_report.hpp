#pragma once

#include "plugin/base/json_fwd.hpp"

namespace lowtide::ui {

/// Moments into which the time line of a run is divided: more than a chart has pixels.
inline constexpr int kTimelineMoments = 2000;

/// Copies and evictions of one kind, device and moment of the report's time line become one event
/// with their bytes together, at the time of the first. A streamed run has several hundred thousand
/// of them: to keep and to draw each would hold up the GUI thread. The rest stays as it is.
void thinReport(Json& report);

}  // namespace lowtide::ui
