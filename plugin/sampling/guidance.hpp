#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::sampling {

/// Classifier-free guidance: from a prediction [2B, C, h, w] as [uncond, cond] to [B, C, h, w].
/// `rescale` > 0 brings the deviation of each picture back towards that of cond.
/// Sources: Ho and Salimans 2022; Lin et al. 2023, eq. 15 and 16.
[[nodiscard]] at::Tensor guide(const at::Tensor& prediction, double scale, double rescale);

}  // namespace lowtide::sampling
