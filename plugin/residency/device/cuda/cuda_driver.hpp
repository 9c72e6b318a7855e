#pragma once
// What NVIDIA's driver reports, asked without LibTorch's CUDA part and without memory on a GPU.
// Part of the engine, so it needs no header of CUDA.

#include "plugin/base/message.hpp"
#include "plugin/base/units.hpp"

#include <string>
#include <vector>

namespace lowtide::residency {

/// A GPU as its driver describes it.
struct CudaGpu {
    int index = 0;
    std::string name;
    Bytes capacity = 0;
    int capability = 0;  ///< compute capability: 86 is 8.6
    Message problem{};   ///< why it cannot be used; empty: it can

    /// As memory::DeviceSpec::id() has it: "cuda:0".
    [[nodiscard]] std::string id() const { return "cuda:" + std::to_string(index); }
};

/// What LibTorch 2.11 needs.
struct CudaNeeds {
    int version = 13000;  ///< of CUDA, that a driver must be able to run
    int capability = 75;  ///< of the oldest GPUs for which its wheel has code
};

/// The GPUs of this machine, or why there are none that can be used.
struct CudaDriver {
    int version = 0;  ///< of CUDA, the newest that the driver can run: 13000 is 13.0; 0: no driver
    std::vector<CudaGpu> gpus;
    Message problem;  ///< empty where there are GPUs
};

/// Asks the driver's library. Any answer is one: a library that is missing, strange or without a
/// card that can be used is a problem in words.
[[nodiscard]] CudaDriver askCudaDriver(const CudaNeeds& needs,
                                       const std::string& library = "libcuda.so.1");

/// "13.0" of 13000.
[[nodiscard]] std::string cudaVersionText(int version);
/// Why LibTorch has no code for a card of that name and compute capability; empty: it has.
[[nodiscard]] Message capabilityProblem(const std::string& name,
                                        int capability,
                                        const CudaNeeds& needs = {});

}  // namespace lowtide::residency
