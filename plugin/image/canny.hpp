#pragma once

#include "plugin/host_api/host.hpp"

namespace lowtide::image {

/// Edges of an image of 8 bits: one channel, 255 where an edge is, else 0. An edge is where the
/// gradient is above `high`, and what hangs together with that above `low`; gradients are |dx| +
/// |dy| of Sobel's 3x3 operator, 0 to 2040 for 8 bits, in the channel where they are strongest.
/// Source: OpenCV 4 Canny with an aperture of 3 and L2gradient off, whose pixels these are.
[[nodiscard]] Image8 cannyEdges(const Image8& image, double low, double high);

}  // namespace lowtide::image
