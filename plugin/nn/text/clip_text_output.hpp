#pragma once

#include "plugin/nn/text/clip_text_model.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::models {

/// What the text model gives.
struct ClipTextModel::Output {
    at::Tensor embeds;  ///< [1, T, width]: the chosen state
    at::Tensor pooled;  ///< [1, width]: the normed last state at the end token; where it is
                        ///< projected [1, projectionWidth]
};

}  // namespace lowtide::models
