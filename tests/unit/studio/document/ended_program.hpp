#pragma once
// Second programs for tests: children of this one that end as a crash or a kill would end them.

#include <functional>
#include <sys/types.h>

namespace lowtide::testing {

/// Starts a child that does `work` and then ends at once, without destructors.
[[nodiscard]] pid_t startChild(const std::function<void()>& work);
/// Ends this program at once, without destructors. For children.
[[noreturn]] void endAtOnce(int status = 0);
/// Kills the child as kill -9 does and waits until it is gone.
void killChild(pid_t child);
/// The exit status of a child that ends by itself; negative: it was killed.
[[nodiscard]] int waitForChild(pid_t child);
/// Runs `work` in a child and waits for its end.
int runAndEnd(const std::function<void()>& work);

}  // namespace lowtide::testing
