#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/nn/conditioning/conditioning_statement.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <cstdint>
#include <vector>

namespace lowtide::models {

/// The numbers that a denoiser of Stable Diffusion XL is told beside a pooled text, in its order:
/// original size, crop and target size, in pixels, or a refiner's five, where an aesthetic score
/// is in place of the target size. Told apart by the width of what the denoiser adds to its time,
/// of which the pooled text has `pooledWidth`. Error{Unsupported} on the denoiser's parameter where
/// neither fits. Source: Podell et al. 2023 (arXiv 2307.01952), section 2.2; diffusers 0.42.1,
/// _get_add_time_ids.
[[nodiscard]] std::vector<ConditioningNumber> sdxlNumbersOf(const UNet2DConfig& config,
                                                            int64_t pooledWidth,
                                                            const Checkpoint& checkpoint);

}  // namespace lowtide::models
