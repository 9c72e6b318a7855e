#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/animation_encode.hpp"

namespace lowtide::image {

void checkRate(double rate) {
    constexpr double kLeast = 0.1;
    constexpr double kMost = 1000;
    requireThat(rate >= kLeast && rate <= kMost,
                "the rate is " + formatNumber(rate) + " frames a second",
                "choose a number from " + formatNumber(kLeast) + " to " + formatNumber(kMost),
                "rate");
}

}  // namespace lowtide::image
