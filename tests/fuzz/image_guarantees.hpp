#pragma once

#include "plugin/image/image_file.hpp"

#include <string_view>

namespace lowtide::fuzz {

/// Decodes a file of any format: what is taken has pixels, the size that its header states, the
/// texts that can be read without pixels, and 8 bits that are the rounded 16. False when it was
/// refused. Images of more than 2^22 pixels are left alone: time would go into their pixels.
[[nodiscard]] bool readImageFile(std::string_view file);

/// Valid UTF-8, all of them.
void requireTexts(const std::vector<image::ImageText>& texts);
/// The same keys and texts in the same order.
void requireSameTexts(const std::vector<image::ImageText>& before,
                      const std::vector<image::ImageText>& after);

}  // namespace lowtide::fuzz
