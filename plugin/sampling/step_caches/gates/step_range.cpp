#include "plugin/sampling/step_caches/gates/step_range.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

namespace lowtide::sampling {

int stepAtShare(double share, int stepCount) {
    return static_cast<int>(share * stepCount + 0.5);
}

void StepRange::check(const char* item) const {
    if (begin >= 0 && begin < end && end <= 1) {
        return;
    }
    throw Error(ErrorKind::InvalidInput,
                "a step cache cannot be active from share " + formatNumber(begin) + " to " +
                    formatNumber(end) + " of the steps",
                "choose shares from 0 to 1, the first below the second",
                item);
}

bool StepRange::holds(int step, int stepCount) const {
    return step >= stepAtShare(begin, stepCount) && step < stepAtShare(end, stepCount);
}

}  // namespace lowtide::sampling
