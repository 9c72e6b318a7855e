#pragma once

#include "plugin/image/picture_file.hpp"

#include <string_view>

namespace lowtide::fuzz {

/// Decodes a file of any format: what is taken has pixels, the size that its header says ahead, the
/// texts that can be read without pixels, and 8 bits that are the rounded 16. False when it was
/// refused. Pictures of more than 2^22 pixels are left alone: time would go into their pixels.
[[nodiscard]] bool readPictureFile(std::string_view file);

/// Valid UTF-8, all of them.
void requireTexts(const std::vector<image::PictureText>& texts);
/// The same keys and texts in the same order.
void requireSameTexts(const std::vector<image::PictureText>& before,
                      const std::vector<image::PictureText>& after);

}  // namespace lowtide::fuzz
