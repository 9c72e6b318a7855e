#pragma once
// The parts of a component tree: their numbers and roles, its files, how tensors lie in them,
// changes of weights.

#include "plugin/base/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

using StorageId = uint32_t;
using WeightId = uint32_t;
using LeafId = uint32_t;

/// A file that holds weights, with the identity it had when the tree was made.
struct WeightFile {
    std::string path;
    Bytes size = 0;
    int64_t modifiedNanoseconds = 0;
    uint64_t inode = 0;
    bool isLocal = true;  ///< on a file system where it is safe to map it

    bool operator==(const WeightFile&) const = default;
};

/// Numbers of the file that decoding a tensor needs in addition to the tensor's own bytes: scales,
/// maxima.
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

/// A tensor of an adapter that a delta is made of: "up", "down", "difference", ...
struct DeltaFactor {
    std::string name;
    WeightId weight = 0;  ///< of every leaf that uses the changed one, in the type of its file
};

/// What an adapter does to one weight: added in f32 to the value of the file and the deltas before
/// it. Data alone: the mathematics of `kind` is that of a delta kind that is built.
struct WeightDelta {
    WeightId weight = 0;
    std::string kind;  ///< "low_rank", "hadamard", "kronecker", "difference", ...
    std::vector<DeltaFactor> factors;
    double scale = 1;     ///< of the file: alpha / rank, where it has an alpha
    double strength = 1;  ///< what a user makes of it; may be negative
};

/// Whether a pattern means the components of a role: the role itself, or with "*" at its end every
/// role that begins so ("text_encoder*": text_encoder, text_encoder_2).
[[nodiscard]] bool matchesRole(std::string_view pattern, std::string_view role) noexcept;

/// Whether more than one role can match.
[[nodiscard]] bool isOpenPattern(std::string_view pattern) noexcept;

/// matchesRole() of any of `patterns`.
[[nodiscard]] bool matchesAnyRole(const std::vector<std::string>& patterns,
                                  std::string_view role) noexcept;

}  // namespace lowtide::memory
