#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/clip_encoder.hpp"
#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <vector>

namespace lowtide::models {

/// Stable Diffusion XL and what has its networks (playground-v2.5, refiners): two CLIP text
/// encoders, of which a refiner has the second alone, a UNet that is told sizes, an autoencoder.
/// Source: Podell et al. 2023; diffusers 0.42.1, StableDiffusionXLPipeline.
class SdxlModel final : public Model {
public:
    explicit SdxlModel(Checkpoint& checkpoint);

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<ComponentDesc> components() const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override { return precisions_; }

    [[nodiscard]] PromptsOutline outlinePrompts(const PromptRequest& request) const override;
    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override;
    [[nodiscard]] bool guidesByBatch(double cfg) const override;
    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override;
    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;

private:
    void checkWidths(const Checkpoint& checkpoint) const;
    void fillInfo(Checkpoint& checkpoint);
    [[nodiscard]] int64_t textWidth() const;
    [[nodiscard]] int64_t pooledWidth() const;
    /// Of each encoder, cut into equally many chunks.
    [[nodiscard]] std::vector<TextPair> textsOf(const PromptRequest& request) const;
    /// An empty negative prompt stands for zeros: force_zeros_for_empty_prompt.
    [[nodiscard]] bool isZero(const PromptRequest& request) const;
    /// What the denoiser adds to its time: [B or 2B, addedWidth] on its device. Records pooled,
    /// added.text_embeds, added.time_ids.
    [[nodiscard]] at::Tensor addedFor(StageContext& context, const DenoiserRequest& request) const;

    std::vector<std::unique_ptr<const ClipEncoder>> encoders_;
    UNet2DCondition unet_;
    AutoencoderKL autoencoder_;
    bool zerosForEmpty_;
    ModelInfo info_;
    memory::FamilyPrecision precisions_;
};

}  // namespace lowtide::models
