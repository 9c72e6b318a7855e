#pragma once

#include <limits>

namespace lowtide::sampling {

/// Error{InvalidInput} that blames `item` unless `value`, a setting of a step cache, is a number
/// from `least` to `most`.
void checkSetting(const char* item,
                  double value,
                  double least,
                  double most = std::numeric_limits<double>::max());

}  // namespace lowtide::sampling
