#pragma once
// The CUDA library: how the engine opens a GPU, and the GPU's streams, events and records of work.

#include "plugin/residency/device/convolution_plan.hpp"
#include "plugin/residency/device/cuda/cuda_driver.hpp"
#include "plugin/residency/device/device.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace c10::cuda {
class CUDAStream;
}

namespace lowtide::residency {

class GpuStreams;

/// How a GPU is used where its orders are tested.
struct CudaSettings {
    bool spoils = false;    ///< what was evicted becomes NaN
    Seconds copyDelay = 0;  ///< before each copy, on its stream
};

/// What the library was built from and what it found loaded; texts live as long as it.
struct CudaBuild {
    int runtime = 0;           ///< of CUDA, as the driver's: 13000
    const char* kernels = "";  ///< the compiler of its own kernels and their GPUs, or "ATen"
    int64_t cudnn = 0;         ///< the loaded cuDNN: 91900 is 9.19.0; 0: none
};

/// What the library exports under the names below. The caller owns the device. A question about a
/// convolution has no answer where the build has no cuDNN or LibTorch would not ask as it does.
/// May throw what LibTorch throws.
using OpenCudaDevice = Device*(const CudaGpu& gpu, const CudaSettings& settings);
using DescribeCudaBuild = CudaBuild();
using AskConvolution = std::optional<ConvolutionPlan>(const CudaGpu& gpu,
                                                      const ConvolutionShape& shape);
inline constexpr const char* kOpenCudaDevice = "lowtideOpenCudaDevice";
inline constexpr const char* kDescribeCudaBuild = "lowtideDescribeCudaBuild";
inline constexpr const char* kAskConvolution = "lowtideAskConvolution";

/// The streams of one GPU: LibTorch's current one of the thread that asks, and one of its pool for
/// copies, each of which begins `copyDelay` late. Errors: c10::Error with the runtime's words.
[[nodiscard]] std::unique_ptr<GpuStreams> makeCudaStreams(int index, Seconds copyDelay);

/// Device::record() as a CUDA graph. `stream` is captured, so nobody else may use it; memory that
/// `work` takes is the record's. The GPU is idle, and its allocator has given back its spare
/// blocks. After a failure the allocator is as before.
[[nodiscard]] std::unique_ptr<WorkRecord> recordWork(const c10::cuda::CUDAStream& stream,
                                                     const std::function<void()>& work);

}  // namespace lowtide::residency
