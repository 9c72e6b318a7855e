#pragma once

namespace lowtide::residency {

/// Tells LibTorch the kernels of the device, once per process. c10::Error where it refuses them.
void registerCudaOperators();

}  // namespace lowtide::residency
