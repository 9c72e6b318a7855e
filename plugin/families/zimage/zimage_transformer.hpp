#pragma once
// The network of Z-Image, and its settings.

#include "plugin/base/json_fwd.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/dit.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Settings of transformer/config.json. Missing ones get the defaults of diffusers'
/// ZImageTransformer2DModel.
struct ZImageConfig {
    int64_t inChannels = 16;
    int64_t width = 3840;      ///< dim
    int64_t layers = 30;       ///< n_layers: of image and text in a row
    int64_t refiners = 2;      ///< n_refiner_layers: of the image alone, and of the text alone
    int64_t heads = 30;        ///< n_heads
    int64_t textWidth = 2560;  ///< cap_feat_dim
    double normEpsilon = 1e-5;
    double rotaryBase = 256;                  ///< rope_theta
    double timeScale = 1000;                  ///< t_scale
    std::array<int64_t, 3> axes{32, 48, 48};  ///< axes_dims: numbers of a head for each axis

    /// Of a latent's square for one token.
    static constexpr int64_t kPatch = 2;

    [[nodiscard]] int64_t headWidth() const { return width / heads; }

    [[nodiscard]] int64_t patchNumbers() const { return kPatch * kPatch * inChannels; }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] ZImageConfig readZImageConfig(const Json& json, const std::string& what);

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
    void apply(Forward& forward,
               const at::Tensor& hidden,
               const at::Tensor& time,
               const Rotation& rotation) const;

private:
    [[nodiscard]] at::Tensor attended(Forward& forward,
                                      const at::Tensor& x,
                                      const Rotation& rotation) const;
};

/// What the vector of the time has at most.
inline constexpr int64_t kMostZImageTimeWidth = 256;

[[nodiscard]] inline int64_t zimageTimeWidth(const ZImageConfig& config) {
    return config.width < kMostZImageTimeWidth ? config.width : kMostZImageTimeWidth;
}

/// The transformer of Z-Image: image and text are refined alone, then go through the layers in a
/// row. Source: diffusers 0.42.1 ZImageTransformer2DModel. The tree is made from headers; weights
/// are read through the forward.
class ZImageTransformer {
public:
    /// `role`: of the component.
    ZImageTransformer(ZImageConfig config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const ZImageConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Raw prediction, whose sign is the opposite of a flow's. Shapes: latents [N, in, h, w] on the
    /// forward's device, their sides multiples of the patch; timestep 0-d, int64 or f32 on the CPU,
    /// from 0 to 1000; text [1, T, textWidth], of all images; result as latents, f32. If the step
    /// is partial, what the layers behind the first one make comes from its cache.
    [[nodiscard]] at::Tensor predict(Forward& forward,
                                     const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const at::Tensor& text,
                                     const sampling::StepInfo& step = {}) const;

private:
    struct Layers {
        Linear patches;
        RmsNorm textNorm;
        Linear text;
        Linear timeInner;
        Linear timeOuter;
        memory::LeafId imagePad = 0;
        memory::LeafId textPad = 0;
        std::vector<ZImageBlock> imageRefiners;
        std::vector<ZImageBlock> textRefiners;
        std::vector<ZImageBlock> blocks;
        Linear outputModulation;
        Linear output;

        Layers(NetworkBuilder& builder, const ZImageConfig& config);
    };

    /// [N, timeWidth].
    [[nodiscard]] at::Tensor timeOf(Forward& forward,
                                    const at::Tensor& timestep,
                                    int64_t count) const;
    /// `tokens` [N, T, width], filled up by a learnt token to a whole number of rounds.
    [[nodiscard]] static at::Tensor filled(Forward& forward,
                                           const at::Tensor& tokens,
                                           memory::LeafId pad);

    /// What is the same for all blocks.
    struct BlockInputs {
        const at::Tensor& time;
        const Rotation& rotation;
    };

    /// The image's tokens of `all`, which begins with them, behind the last block.
    [[nodiscard]] at::Tensor throughBlocks(Forward& forward,
                                           at::Tensor all,
                                           int64_t imageTokens,
                                           const BlockInputs& inputs,
                                           sampling::CachedCall& cached) const;

    ZImageConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

/// What Z-Image states of precision: f32 as files have it; bf16 with time and norms in f32.
[[nodiscard]] const memory::FamilyPrecision& zimagePrecisions();

}  // namespace lowtide::models
