#pragma once

namespace lowtide::residency {

/// Tells LibTorch the operators of the device "fake". c10::Error where another library has them.
void registerFakeOperators();

}  // namespace lowtide::residency
