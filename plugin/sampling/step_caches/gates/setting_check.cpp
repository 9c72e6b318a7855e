#include "plugin/sampling/step_caches/gates/setting_check.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <string>

namespace lowtide::sampling {

void checkSetting(const char* item, double value, double least, double most) {
    if (value >= least && value <= most) {
        return;
    }
    const bool isBounded = most < std::numeric_limits<double>::max();
    throw Error(ErrorKind::InvalidInput,
                std::string(item) + " of a step cache is " + formatNumber(value),
                isBounded ? "choose from " + formatNumber(least) + " to " + formatNumber(most)
                          : "choose " + formatNumber(least) + " or more",
                item);
}

}  // namespace lowtide::sampling
