#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::models {

/// What every unit of the UNet reads beside the feature map.
struct UNetInputs {
    at::Tensor time;     ///< [N, timeWidth], after the activation
    at::Tensor context;  ///< [N, T, contextWidth]
};

}  // namespace lowtide::models
