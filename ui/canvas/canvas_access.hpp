#pragma once

namespace lowtide::ui {

/// Makes canvases known to Qt's accessibility: a list of nodes in run order, frames and notes.
void installCanvasAccess();

}  // namespace lowtide::ui
