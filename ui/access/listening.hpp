#pragma once

#include <functional>

class QAccessibleEvent;

namespace lowtide::ui {

/// Whether anybody is there to be told: assistive technology, or a test that listens.
[[nodiscard]] bool isListenedTo();

/// Tells assistive technology, or the test that listens in its place.
void tellAccess(QAccessibleEvent& event);

/// A test that listens; nullptr: no longer. Qt tells its own handlers only where the platform's
/// accessibility is on, which a test cannot switch on.
void setTestListener(std::function<void(QAccessibleEvent&)> listener);

}  // namespace lowtide::ui
