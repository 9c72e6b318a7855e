#pragma once

#include "plugin/tensor/cpu_paths.hpp"

namespace lowtide::tensor {

/// Times every operator on every path of this processor, in a second or two, and says which path is
/// fastest; the default where none is clearly faster, so that a busy moment decides nothing. Of CPU
/// time: other programs may run. Run thread, no other run at work.
[[nodiscard]] CpuPaths measureCpuPaths();

}  // namespace lowtide::tensor
