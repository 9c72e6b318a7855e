#pragma once

#include "plugin/base/dtype.hpp"
#include "plugin/base/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::memory {

/// Numbers of the file that decoding a tensor needs beside the tensor's own bytes: scales, maxima.
struct Companion {
    std::string key;  ///< name in the file
    int64_t fileOffset = 0;
    DType type = DType::F32;
    int64_t elementCount = 0;

    [[nodiscard]] Bytes bytes() const { return elementCount * sizeOf(type); }

    bool operator==(const Companion&) const = default;
};

/// How a tensor lies in its file where it is no plain array of numbers. Decoding gives f32.
struct Encoded {
    std::string encoding;       ///< its name in plugin/encodings: "q4_k", "nvfp4"
    int64_t blockElements = 1;  ///< elements that only come together
    Bytes blockBytes = 1;
    int64_t columns = 1;       ///< elements of a row, whole blocks
    int64_t firstElement = 0;  ///< of what the companions belong to, where only a part is taken
    float addedScale = 0;      ///< bitsandbytes: added to scales that are encoded themselves
    std::vector<Companion> companions{};

    bool operator==(const Encoded&) const = default;
};

}  // namespace lowtide::memory
