#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

struct UnsharpMask {
    double radius = 2;     ///< standard deviation of the blur, in pixels
    double percent = 150;  ///< of the difference to the blurred picture that is added
    double threshold = 3;  ///< levels of 255; smaller differences are left alone
};

/// Pictures [B, C, H, W] in 0..1 with their edges made stronger. The blur keeps whole levels, as
/// Pillow's does; the result is not rounded. Source: Pillow 13 UnsharpMask.c and BoxBlur.c (three
/// box blurs); 8-bit pictures agree with it to one level.
[[nodiscard]] at::Tensor sharpened(const at::Tensor& pixels, const UnsharpMask& mask);

}  // namespace lowtide::tensor
