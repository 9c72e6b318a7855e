#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/families/wan/wan_autoencoder.hpp"
#include "plugin/families/wan/wan_transformer.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// WAN, text and image to video: a UMT5 text encoder, a transformer (2.1) or two denoisers that
/// divide the noise levels between them (2.2), a causal autoencoder.
class WanModel final : public FamilyModel {
public:
    explicit WanModel(Checkpoint& checkpoint);

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override;
    [[nodiscard]] PromptsSpec promptsSpec(const PromptRequest& request) const override;
    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override;

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override;
    /// One video: [1, C, F, h, w] -> [f, 3, H, W].
    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    /// The reverse, to mean and log variance.
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;
    /// Records clip.pixels, clip.embeds, vae.encode_in, vae.moments and condition.
    [[nodiscard]] tensor::ImageConditioning encodeImageConditioning(
        StageContext& context, const VideoImages& images) const override;

private:
    [[nodiscard]] TokenizedPrompt tokensOf(const PromptRequest& request,
                                           const std::string& text,
                                           const char* item) const;
    /// Both prompts, cleaned and cut into tokens.
    [[nodiscard]] PromptTokenPair textsOf(const PromptRequest& request) const;
    void fillInfo(Checkpoint& checkpoint);
    void requireLikeNoiseModels(const Checkpoint& checkpoint) const;

    /// An image encoder's states of the images, or undefined.
    [[nodiscard]] at::Tensor activeIn(StageContext& context, const VideoImages& images) const;
    /// Latents of a video that is grey but for the images, [1, C, F, h, w].
    [[nodiscard]] at::Tensor greyLatents(StageContext& context, const VideoImages& images) const;

    T5Text text_;
    std::optional<ClipVisionModel> vision_;
    WanTransformer transformer_;
    std::optional<WanTransformer> second_;
    WanAutoencoder autoencoder_;
    ModelInfo info_;
};

}  // namespace lowtide::models
