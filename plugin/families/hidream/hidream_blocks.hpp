#pragma once

#include "plugin/families/hidream/hidream_config.hpp"
#include "plugin/families/hidream/hidream_experts.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/blocks/rotary.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lowtide::models {

/// What a call of the transformer says to all of its blocks.
struct HiDreamContext {
    at::Tensor time;    ///< [N, width], activated
    Rotation rotation;  ///< of the picture's tokens and those of texts behind them
    at::Tensor fill;    ///< [1, T, 1]: 0 for tokens that fill a picture up; undefined: none do
};

/// Queries, keys and values of one kind of tokens, normed over all heads, and the way back.
struct HiDreamProjections {
    Linear query;
    Linear key;
    Linear value;
    Linear out;
    RmsNorm queryNorm;
    RmsNorm keyNorm;

    /// `suffix`: "_t" of those of texts, which are under the same name.
    HiDreamProjections(NetworkBuilder& builder,
                       const std::string& name,
                       const std::string& suffix,
                       const HiDreamConfig& config);
};

/// Texts and picture with weights of their own, which attend to each other.
/// Source: Cai et al. 2025; diffusers 0.42.1 HiDreamImageTransformerBlock.
struct HiDreamDoubleBlock {
    Linear modulation;
    HiDreamProjections picture;
    HiDreamProjections text;
    PictureFeed pictureFeed;
    SwiGluFeed textFeed;
    int64_t heads = 1;

    HiDreamDoubleBlock(NetworkBuilder& builder,
                       const std::string& name,
                       const HiDreamConfig& config);
    /// hidden [N, T, width] of the picture and texts [N, S, width], in place.
    void apply(Pass& pass,
               const at::Tensor& hidden,
               const at::Tensor& texts,
               const HiDreamContext& context) const;
};

/// Picture and texts in a row, with one set of weights. Source: diffusers 0.42.1
/// HiDreamImageSingleTransformerBlock.
struct HiDreamSingleBlock {
    Linear modulation;
    HiDreamProjections all;
    PictureFeed feed;
    int64_t heads = 1;

    HiDreamSingleBlock(NetworkBuilder& builder,
                       const std::string& name,
                       const HiDreamConfig& config);
    /// hidden [N, T + S, width], in place.
    void apply(Pass& pass, const at::Tensor& hidden, const HiDreamContext& context) const;
};

}  // namespace lowtide::models
