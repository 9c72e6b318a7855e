#pragma once
// A GPU's streams and events, and work that is recorded on them.

#include "plugin/residency/device/cuda/gpu_copy_queue.hpp"
#include "plugin/residency/device/device.hpp"

#include <c10/cuda/CUDAStream.h>

namespace lowtide::residency {

/// The streams of one GPU: LibTorch's current one of the thread that asks, and one of its pool for
/// copies, each of which begins `copyDelay` late. Errors: c10::Error with the runtime's words.
[[nodiscard]] std::unique_ptr<GpuStreams> makeCudaStreams(int index, Seconds copyDelay);

/// Device::record() as a CUDA graph. `stream` is captured, so nobody else may use it; memory that
/// `work` takes is the record's. The GPU is idle, and its allocator has given back its spare
/// blocks. After a failure the allocator is as before.
[[nodiscard]] std::unique_ptr<WorkRecord> recordWork(const c10::cuda::CUDAStream& stream,
                                                     const std::function<void()>& work);

}  // namespace lowtide::residency
