#pragma once

#include "plugin/host_api/host.hpp"

namespace lowtide::image {

/// CIEDE2000 that heat maps show brightest; larger differences look the same.
inline constexpr double kHottestDifference = 20;

/// How each pixel's colour differs from the reference's, from black over red to light yellow.
/// Error{InvalidInput} when the sizes differ.
[[nodiscard]] Image8 heatMap(const Image8& reference, const Image8& picture);

/// The colours of heat maps with their CIEDE2000, for the foot of a sheet.
[[nodiscard]] Image8 heatLegend();

}  // namespace lowtide::image
