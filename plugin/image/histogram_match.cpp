#include "plugin/image/histogram_match.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace lowtide::image {

namespace {

/// Share of the pixels that are not lighter than each level.
Histogram quantilesOf(const Histogram& histogram) {
    Histogram sums{};
    std::partial_sum(histogram.begin(), histogram.end(), sums.begin());
    const double count = sums.back();
    LOWTIDE_ASSERT(count > 0);
    for (double& sum : sums) {
        sum /= count;
    }
    return sums;
}

/// First level at which a quantile is reached.
size_t firstWith(const Histogram& quantiles, double quantile) {
    return static_cast<size_t>(std::lower_bound(quantiles.begin(), quantiles.end(), quantile) -
                               quantiles.begin());
}

}  // namespace

std::array<double, 256> matchedLevels(const Histogram& source, const Histogram& reference) {
    const Histogram wanted = quantilesOf(source);
    const Histogram known = quantilesOf(reference);
    std::array<double, 256> levels{};
    for (size_t level = 0; level < levels.size(); ++level) {
        const size_t above = firstWith(known, wanted[level]);
        const double below = above > 0 ? known[above - 1] : 0;
        levels[level] = static_cast<double>(above);
        if (below > 0) {  // between two levels that the reference has
            const size_t before = firstWith(known, below);
            const double share = (wanted[level] - below) / (known[above] - below);
            levels[level] =
                static_cast<double>(before) + static_cast<double>(above - before) * share;
        }
    }
    return levels;
}

}  // namespace lowtide::image
