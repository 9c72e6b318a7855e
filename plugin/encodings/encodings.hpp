#pragma once
// Ways in which numbers lie in files, and all that are built.

#include "plugin/memory/component_parts.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace lowtide {
class Message;
}

namespace lowtide::encodings {

/// Elements of a tensor, row-major; whole blocks.
struct Part {
    int64_t first = 0;
    int64_t count = 0;
};

struct ByteRange {
    Bytes begin = 0;
    Bytes count = 0;
};

/// What lies in the file for one part of a tensor. Any alignment.
struct StoredPart {
    const memory::Encoded* tensor = nullptr;
    Part part;
    const std::byte* blocks = nullptr;
    /// Of each companion the bytes that companionRange() asks for.
    std::span<const std::span<const std::byte>> companions{};
};

/// One way in which numbers lie in files. Pure: any thread.
struct Encoding {
    std::string_view name;   ///< "q4_k"
    std::string_view label;  ///< for a user: "GGUF Q4_K"
    /// Where a companion has what `part` needs; empty function: all of it, always.
    ByteRange (*companionRange)(const memory::Encoded& tensor,
                                size_t companion,
                                Part part) = nullptr;
    /// What makes the part worthless, in words: "scale 3 is nan". Empty: nothing.
    std::optional<Message> (*fault)(const StoredPart& stored) = nullptr;
    /// Writes the part's numbers, the same bits on every processor.
    void (*decode)(const StoredPart& stored, float* target) = nullptr;
    /// Writes the part's blocks, the same bits on every processor. The numbers are finite; `part`
    /// has its companions, its blocks are not looked at. Empty: it is only read here.
    void (*encode)(const StoredPart& part, const float* numbers, std::byte* blocks) = nullptr;
    /// The largest number that an element holds, where it has a scale next to it: see scaleFor().
    float largestElement = 0;
};

/// All that are built, by name.
[[nodiscard]] std::span<const Encoding> encodings();
/// nullptr: there is none of that name.
[[nodiscard]] const Encoding* findEncoding(std::string_view name);
/// Of a tensor whose encoding is known to be there.
[[nodiscard]] const Encoding& encodingOf(const memory::Encoded& tensor);

/// Bytes of a companion that decoding `part` needs.
[[nodiscard]] ByteRange companionRange(const memory::Encoded& tensor, size_t companion, Part part);

}  // namespace lowtide::encodings
