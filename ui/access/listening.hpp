#pragma once

namespace lowtide::ui {

/// Whether anybody is there to be told: assistive technology, or a test that listens.
[[nodiscard]] bool isListenedTo();

/// A test listens, or no longer.
void setTestListens(bool isListening);

}  // namespace lowtide::ui
