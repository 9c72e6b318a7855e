#pragma once

#include <vector>

namespace lowtide::testing {

/// The middle one, of an even number the mean of both in the middle; 0 where there are none.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace lowtide::testing
