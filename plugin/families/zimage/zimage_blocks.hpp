#pragma once

#include "plugin/families/zimage/zimage_config.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/blocks/rotary.hpp"
#include "plugin/nn/denoisers/swiglu_feed.hpp"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

namespace lowtide::models {

/// Whether a block's work depends on the time.
enum class ByTime : uint8_t { No, Yes };

/// Attention and a feed-forward layer, each between two norms; by the time the first norm is scaled
/// and what is added is weighed by a gate. Source: diffusers 0.42.1 ZImageTransformerBlock.
struct ZImageBlock {
    std::optional<Linear> modulation;
    RmsNorm attentionNorm;
    RmsNorm attendedNorm;
    RmsNorm feedNorm;
    RmsNorm fedNorm;
    Linear query;
    Linear key;
    Linear value;
    Linear out;
    RmsNorm queryNorm;
    RmsNorm keyNorm;
    SwiGluFeed feed;
    int64_t heads = 1;

    ZImageBlock(NetworkBuilder& builder,
                const std::string& name,
                const ZImageConfig& config,
                ByTime byTime);
    /// hidden [N, T, width], in place; time [N, timeWidth], undefined where nothing depends on it.
    void apply(Pass& pass,
               const at::Tensor& hidden,
               const at::Tensor& time,
               const Rotation& rotation) const;

private:
    [[nodiscard]] at::Tensor attended(Pass& pass,
                                      const at::Tensor& x,
                                      const Rotation& rotation) const;
};

/// What the vector of the time has at most.
inline constexpr int64_t kMostZImageTimeWidth = 256;

[[nodiscard]] inline int64_t zimageTimeWidth(const ZImageConfig& config) {
    return config.width < kMostZImageTimeWidth ? config.width : kMostZImageTimeWidth;
}

}  // namespace lowtide::models
