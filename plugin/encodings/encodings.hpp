#pragma once

#include "plugin/encodings/encoding.hpp"

namespace lowtide::encodings {

/// All that are built, by name.
[[nodiscard]] std::span<const Encoding> encodings();
/// nullptr: there is none of that name.
[[nodiscard]] const Encoding* findEncoding(std::string_view name);
/// Of a tensor whose encoding is known to be there.
[[nodiscard]] const Encoding& encodingOf(const memory::Encoded& tensor);

/// Bytes of a companion that decoding `part` needs.
[[nodiscard]] ByteRange companionRange(const memory::Encoded& tensor, size_t companion, Part part);

}  // namespace lowtide::encodings
