#pragma once
// What NVIDIA's driver says, asked without LibTorch's CUDA part and without memory on a card. Part
// of the engine, so it needs no header of CUDA.

#include "plugin/base/units.hpp"

#include <string>
#include <vector>

namespace lowtide::residency {

/// A card as its driver describes it.
struct CudaCard {
    int index = 0;
    std::string name;
    Bytes capacity = 0;
    int capability = 0;  ///< compute capability: 86 is 8.6
};

/// The cards of this machine, or why there are none that can be used.
struct CudaDriver {
    int version = 0;  ///< of CUDA, the newest that the driver can run: 13000 is 13.0; 0: no driver
    std::vector<CudaCard> cards;
    std::string problem;  ///< empty where there are cards
};

/// Asks the driver's library. `oldest` is the CUDA version that a driver must be able to run. Any
/// answer is one: a library that is missing, strange or without a card is a problem in words.
[[nodiscard]] CudaDriver askCudaDriver(int oldest, const std::string& library = "libcuda.so.1");

/// "13.0" of 13000.
[[nodiscard]] std::string cudaVersionText(int version);

}  // namespace lowtide::residency
