#pragma once

#include <QWidget>

#include <memory>

namespace lowtide::test {

/// A window with every standard widget of the studio in its usual states.
[[nodiscard]] std::unique_ptr<QWidget> makeWidgetGallery();

}  // namespace lowtide::test
