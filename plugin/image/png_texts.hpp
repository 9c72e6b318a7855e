#pragma once

#include "plugin/image/png.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace lowtide::image {

/// Reads as many bytes of a file from `offset` on as `target` has; throws what it cannot.
using ReadBytes = std::function<void(std::span<std::byte> target, int64_t offset)>;

/// The text chunks of a PNG file of `fileBytes` bytes. Only they and the heads of the other chunks
/// are read, no pixels. Limits and errors as decodePng, but for the pixels.
[[nodiscard]] std::vector<PngText> readPngTexts(const ReadBytes& read,
                                                int64_t fileBytes,
                                                std::string_view name);

}  // namespace lowtide::image
