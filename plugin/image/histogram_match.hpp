#pragma once

#include <array>

namespace lowtide::image {

/// Of one channel: how many pixels have each level.
using Histogram = std::array<double, 256>;

/// The level, not rounded, that each level becomes so that the channel gets the distribution of
/// `reference`. Both hold at least one pixel. Source: scikit-image's match_histograms
/// (interpolation of the inverse distribution function).
[[nodiscard]] std::array<double, 256> matchedLevels(const Histogram& source,
                                                    const Histogram& reference);

}  // namespace lowtide::image
