#pragma once

#include "plugin/families/zimage/zimage_blocks.hpp"
#include "plugin/sampling/step_info.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace lowtide::sampling {
class CachedCall;
}

namespace lowtide::models {

/// The transformer of Z-Image: picture and text are refined alone, then go through the layers in a
/// row. Source: diffusers 0.42.1 ZImageTransformer2DModel. The tree is made from headers; weights
/// are read through the pass.
class ZImageTransformer {
public:
    /// `role`: of the component.
    ZImageTransformer(ZImageConfig config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const ZImageConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Raw prediction, whose sign is the opposite of a flow's. Shapes: latents [N, in, h, w] on the
    /// pass's device, their sides multiples of the patch; timestep 0-d, int64 or f32 on the CPU,
    /// from 0 to 1000; text [1, T, textWidth], of all pictures; result as latents, f32. If the step
    /// is partial, what the layers behind the first one make comes from its cache.
    [[nodiscard]] at::Tensor predict(Pass& pass,
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
        memory::LeafId picturePad = 0;
        memory::LeafId textPad = 0;
        std::vector<ZImageBlock> pictureRefiners;
        std::vector<ZImageBlock> textRefiners;
        std::vector<ZImageBlock> blocks;
        Linear outputModulation;
        Linear output;

        Layers(NetworkBuilder& builder, const ZImageConfig& config);
    };

    /// [N, timeWidth].
    [[nodiscard]] at::Tensor timeOf(Pass& pass, const at::Tensor& timestep, int64_t count) const;
    /// `tokens` [N, T, width], filled up by a learnt token to a whole number of rounds.
    [[nodiscard]] static at::Tensor filled(Pass& pass,
                                           const at::Tensor& tokens,
                                           memory::LeafId pad);

    /// What is the same for all blocks.
    struct BlockInputs {
        const at::Tensor& time;
        const Rotation& rotation;
    };

    /// The picture's tokens of `all`, which begins with them, behind the last block.
    [[nodiscard]] at::Tensor throughBlocks(Pass& pass,
                                           at::Tensor all,
                                           int64_t pictureTokens,
                                           const BlockInputs& inputs,
                                           sampling::CachedCall& cached) const;

    ZImageConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
