#pragma once

#include "plugin/base/shape.hpp"

#include <cstdint>

namespace lowtide::models {

/// The denoising pass that hints and pictures accompany.
struct PassCalls {
    Shape latents;          ///< [B, C, h, w]
    int64_t factor = 8;     ///< pixels of a picture for one of the latent, along a side
    bool isGuided = false;  ///< its calls have two halves
    int count = 0;          ///< of calls
};

}  // namespace lowtide::models
