#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

namespace lowtide::models {

/// What pictures say to a cross attention, beside its text.
struct PictureTokens {
    size_t adapter = 0;   ///< whose pair of the attention's leaf makes keys and values of them
    at::Tensor tokens;    ///< [N, T, contextWidth]
    double strength = 1;  ///< of what is found of them in the result
    at::Tensor mask{};    ///< [1 or N, 1, H, W], of any size: where they speak; undefined: all over
};

/// What a cross attention reads for the queries of a feature map.
struct CrossInputs {
    const at::Tensor& context;                   ///< [N, T, contextWidth]
    const std::vector<PictureTokens>& pictures;  ///< their sum is added to the text's attention
    int64_t height = 0;                          ///< of the map
    int64_t width = 0;
};

}  // namespace lowtide::models
