#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/language_text.hpp"
#include "plugin/families/zimage/zimage_transformer.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <vector>

namespace lowtide::models {

[[nodiscard]] std::vector<ComponentDesc> zimageComponents();

/// Z-Image and Z-Image-Turbo: Qwen 3 as text encoder, a transformer of one stream, FLUX's
/// autoencoder. Source: diffusers 0.42.1 ZImagePipeline.
class ZImageModel final : public Model {
public:
    explicit ZImageModel(Checkpoint& checkpoint);

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<ComponentDesc> components() const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;
    [[nodiscard]] const memory::FamilyPrecision& precisions() const override;
    [[nodiscard]] PromptsOutline outlinePrompts(const PromptRequest& request) const override;
    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override;

    [[nodiscard]] bool guidesByBatch(double cfg) const override { return cfg > 1; }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override;
    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;

private:
    void requireLikeParts(const Checkpoint& checkpoint) const;
    void fillInfo(Checkpoint& checkpoint);
    [[nodiscard]] PromptTokenPair textsOf(const PromptRequest& request) const;

    LanguageText text_;
    ZImageTransformer transformer_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

}  // namespace lowtide::models
