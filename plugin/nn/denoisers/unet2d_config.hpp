#pragma once
// Settings of the UNet, and where a partial call of it leaves the way down and enters the way up.

#include "plugin/base/json_fwd.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lowtide::models {

enum class UNetBlock : uint8_t { Plain, CrossAttention };

/// One level of the UNet, from the largest image to the smallest.
struct UNetLevel {
    int64_t channels = 0;
    int64_t layers = 2;  ///< resnets on the way down; one more on the way up
    int64_t heads = 8;
    std::vector<int64_t> downTransformers;  ///< layers of each attention unit on the way down
    std::vector<int64_t> upTransformers;    ///< and on the way up, one more
    int64_t contextWidth = 0;               ///< cross_attention_dim
    UNetBlock down = UNetBlock::Plain;
    UNetBlock up = UNetBlock::Plain;
};

/// Settings of unet/config.json, spread over the levels. Missing ones get diffusers' defaults.
struct UNet2DConfig {
    int64_t inChannels = 4;
    int64_t outChannels = 4;
    int64_t convInKernel = 3;
    int64_t convOutKernel = 3;
    int64_t groups = 32;
    double epsilon = 1e-5;
    int64_t midTransformer = 1;  ///< layers of the middle block's; 0: there is no middle block
    bool linearProjection = false;
    bool cosineFirst = true;    ///< flip_sin_to_cos
    double frequencyShift = 0;  ///< freq_shift
    int64_t timeWidth = 0;      ///< width of the time embedding
    int64_t guidanceWidth = 0;  ///< time_cond_proj_dim; 0: guidance is not embedded
    /// projection_class_embeddings_input_dim: width of what addition_embed_type "text_time" adds to
    /// the time, a pooled text in addition to sinusoids of numbers; 0: nothing is added.
    int64_t addedWidth = 0;
    int64_t addedNumberWidth = 0;  ///< addition_time_embed_dim: of the sinusoids of one number
    /// upcast_attention: scores do not fit half precision. Attention sums in f32 in any case; what
    /// else may be summed in half precision is the family's affair.
    bool upcastsAttention = false;
    int64_t latentPixels = 0;  ///< sample_size: of the latents of its training; 0: not stated
    std::vector<UNetLevel> levels;

    /// The width that conditioning must have.
    [[nodiscard]] int64_t contextWidth() const { return levels.back().contextWidth; }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] UNet2DConfig readUNet2DConfig(const Json& json, const std::string& what);

struct UNet2DConfig;

/// Where a partial call of the UNet leaves the way down and where it enters the way up: the units
/// between are left out, and their result is taken from a call before. Source: DeepCache 0.1.1,
/// DeepCacheSDHelper, whose cache_branch_id is the depth.
struct UNetCut {
    size_t level = 0;      ///< the last level of the way down that it computes anything of
    size_t downUnits = 0;  ///< of that level
    size_t upUnit = 0;     ///< of the way up in the same level, that it enters with

    /// Nothing but the middle block is left out.
    [[nodiscard]] bool isAtMiddle(const UNet2DConfig& config) const;
};

/// The depth that leaves out least.
[[nodiscard]] int deepestCut(const UNet2DConfig& config);
/// The depth whose cut lies behind the first level of the way down, before it shrinks.
[[nodiscard]] int firstLevelCut();
/// `depth` from 0 (the last unit of the way up is computed) to deepestCut(): three for each level,
/// as for the published models; a level with fewer units has the same cut for several.
[[nodiscard]] UNetCut cutAt(const UNet2DConfig& config, int depth);

}  // namespace lowtide::models
