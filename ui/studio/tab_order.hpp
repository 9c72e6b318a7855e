#pragma once

#include <vector>

class QWidget;

namespace lowtide::ui {

/// The parts of `root` at which Tab can stop now, as its layouts show them: from above to below,
/// from left to right. Qt's own order is that in which they were made.
[[nodiscard]] std::vector<QWidget*> stopsInSight(QWidget& root);
[[nodiscard]] bool isStop(const QWidget& widget);

}  // namespace lowtide::ui
