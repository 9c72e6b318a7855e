#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/families/hidream/hidream_encoders.hpp"
#include "plugin/families/hidream/hidream_transformer.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <vector>

namespace lowtide::models {

/// HiDream-I1 Full, Dev and Fast: up to four text encoders, a transformer with experts, FLUX's
/// autoencoder. Source: Cai et al. 2025; diffusers 0.42.1 HiDreamImagePipeline.
class HiDreamModel final : public Model {
public:
    explicit HiDreamModel(Checkpoint& checkpoint);

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
    void requireLikeEncoders(const Checkpoint& checkpoint) const;
    void fillInfo(Checkpoint& checkpoint);

    HiDreamEncoders encoders_;
    HiDreamTransformer transformer_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

}  // namespace lowtide::models
