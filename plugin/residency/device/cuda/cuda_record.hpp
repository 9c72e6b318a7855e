#pragma once

#include "plugin/residency/device/device.hpp"

#include <c10/cuda/CUDAStream.h>

namespace lowtide::residency {

/// Device::record() as a CUDA graph. `stream` is captured, so nobody else may use it; memory that
/// `work` takes is the record's. The card is idle, and its allocator has given back its spare
/// blocks. After a failure the allocator is as before.
[[nodiscard]] std::unique_ptr<WorkRecord> recordWork(const c10::cuda::CUDAStream& stream,
                                                     const std::function<void()>& work);

}  // namespace lowtide::residency
