#pragma once

namespace lowtide::ui {

/// Of a program that ends because a part of it failed: EX_SOFTWARE of sysexits.h.
inline constexpr int kFailedExit = 70;

/// Runs the application's event loop; its exit status. What a part throws through it ends the
/// program at once with a sentence on stderr and kFailedExit, so that the journal stays: the next
/// start offers what was not saved.
[[nodiscard]] int runEventLoop();

}  // namespace lowtide::ui
