#pragma once
// Colours and levels: L*a*b* and how different two colours look, and levels that make histograms
// agree.

#include <array>

namespace lowtide::image {

/// A colour of CIE L*a*b* (illuminant D65, observer of 2 degrees).
struct Lab {
    double lightness = 0;  ///< 0..100
    double a = 0;
    double b = 0;
};

/// Of an sRGB colour with levels from 0 to 255, which need not be whole. Source: IEC 61966-2-1,
/// with the matrix and white of scikit-image's rgb2lab.
[[nodiscard]] Lab labOfSrgb(double red, double green, double blue);

/// How different two colours look: 1 is just noticeable side by side. Source: CIEDE2000 as in
/// Sharma, Wu and Dalal 2005, with all weights 1.
[[nodiscard]] double ciede2000(const Lab& first, const Lab& second);

/// Of one channel: how many pixels have each level.
using Histogram = std::array<double, 256>;

/// The level, not rounded, that each level becomes so that the channel gets the distribution of
/// `reference`. Both hold at least one pixel. Source: scikit-image's match_histograms
/// (interpolation of the inverse distribution function).
[[nodiscard]] std::array<double, 256> matchedLevels(const Histogram& source,
                                                    const Histogram& reference);

}  // namespace lowtide::image
