#pragma once

#include "plugin/base/json.hpp"

#include <map>
#include <string>

namespace lowtide::residency {
class CudaLibrary;
}

namespace lowtide::module {

/// What is known of CUDA on this machine and of this build.
struct CudaFacts {
    /// {"status": "not built" | "compiled, not run" | "proven", "problem": why no card can be used,
    /// "driver", "runtime", "cudnn": versions, "kernels", "cards": [{"id", "name", "capability",
    /// "capacity", "gains"}], "proven": what resources/cuda/proven.json keeps}
    Json json;
    std::map<std::string, int> capabilities;  ///< of the cards that can be used, by device id
};

/// `proofs`: the file that keeps what was proven, when and on what. Error{Corrupt} names it.
[[nodiscard]] CudaFacts cudaFacts(const residency::CudaLibrary& library, const std::string& proofs);

/// One line for a user: "CUDA: compiled, not run; there is no NVIDIA driver".
[[nodiscard]] std::string textOf(const CudaFacts& facts);

}  // namespace lowtide::module
