#include "plugin/sampling/step_caches/predictors/step_time.hpp"

#include <cmath>

namespace lowtide::sampling {

std::optional<double> logSigmaTime(double sigma) {
    if (!std::isfinite(sigma) || sigma <= 0) {
        return std::nullopt;
    }
    return -std::log(sigma);
}

}  // namespace lowtide::sampling
