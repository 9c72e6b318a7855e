#pragma once

#include <optional>

namespace lowtide::sampling {

/// -log(sigma): the time in which outputs of denoisers change evenly. Nothing where sigma is not
/// above 0 or not finite: such a step has no place among the others.
[[nodiscard]] std::optional<double> logSigmaTime(double sigma);

}  // namespace lowtide::sampling
