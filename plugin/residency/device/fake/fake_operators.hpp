#pragma once

// The fake card's operators: the CPU's on the same bytes, and the few that a fallback cannot serve.

namespace lowtide::residency {

/// Tells LibTorch the operators of the device "fake". c10::Error where another library has them.
void registerFakeOperators();

}  // namespace lowtide::residency
