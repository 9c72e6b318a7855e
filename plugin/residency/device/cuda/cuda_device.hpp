#pragma once

#include "plugin/residency/device/cuda/cuda_driver.hpp"
#include "plugin/residency/device/device.hpp"

namespace lowtide::residency {

/// How a card is used where its orders are tested.
struct CudaSettings {
    bool spoils = false;    ///< what was evicted becomes NaN
    Seconds copyDelay = 0;  ///< before each copy, on its stream
};

/// What the library was built from and what it found loaded; texts live as long as it.
struct CudaBuild {
    int runtime = 0;           ///< of CUDA, as the driver's: 13000
    const char* kernels = "";  ///< the compiler of its own kernels and their cards, or "ATen"
    int64_t cudnn = 0;         ///< the loaded cuDNN: 91900 is 9.19.0; 0: none
};

/// What the library exports under kOpenCudaDevice and kDescribeCudaBuild. The caller owns the
/// device. May throw what LibTorch throws.
using OpenCudaDevice = Device*(const CudaCard& card, const CudaSettings& settings);
using DescribeCudaBuild = CudaBuild();
inline constexpr const char* kOpenCudaDevice = "lowtideOpenCudaDevice";
inline constexpr const char* kDescribeCudaBuild = "lowtideDescribeCudaBuild";

}  // namespace lowtide::residency
