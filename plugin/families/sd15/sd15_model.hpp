#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/clip_encoder.hpp"
#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <vector>

namespace lowtide::models {

/// Of every checkpoint of the family.
[[nodiscard]] std::vector<ComponentDesc> sd15Components();

/// Stable Diffusion 1.x and 2.x: one CLIP text encoder, a UNet, an autoencoder.
class Sd15Model final : public Model {
public:
    explicit Sd15Model(Checkpoint& checkpoint);

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<ComponentDesc> components() const override {
        return sd15Components();
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;
    [[nodiscard]] const memory::FamilyPrecision& precisions() const override;
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
    [[nodiscard]] TextPair textsOf(const PromptRequest& request) const;
    void fillInfo(Checkpoint& checkpoint);

    ClipEncoder text_;
    UNet2DCondition unet_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

}  // namespace lowtide::models
