#pragma once

#include "plugin/nn/blocks/layers.hpp"

#include <ATen/core/Tensor.h>

#include <string>

namespace lowtide::models {

/// silu(w1 x) * w3 x, through w2: one leaf. Source: Shazeer 2020, eq. 6; diffusers 0.42.1
/// HiDreamImageFeedForwardSwiGLU, Z-Image's FeedForward.
struct SwiGluFeed {
    memory::LeafId leaf = 0;

    SwiGluFeed(NetworkBuilder& builder, const std::string& name, int64_t width, int64_t inner);
    /// x [..., width].
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x) const;
};

}  // namespace lowtide::models
