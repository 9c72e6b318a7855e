#pragma once

#include "plugin/image/picture_header.hpp"

namespace lowtide::image {

/// The picture as it is to be seen: stored that way by EXIF's numbers 1 to 8 (1: as it is).
/// Source: CIPA DC-008 4.6.5, tag Orientation.
[[nodiscard]] Image8 oriented(const Image8& picture, int orientation);
[[nodiscard]] Image16 oriented(const Image16& picture, int orientation);
[[nodiscard]] PictureSize oriented(const PictureSize& size, int orientation);

}  // namespace lowtide::image
