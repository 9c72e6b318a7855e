#pragma once

#include "plugin/models/model.hpp"
#include "plugin/models/walk/shape_walk.hpp"

namespace lowtide::models {

/// A model on its way through a shape walk: every forward over an input of one size is walked once.
/// `model` and `walk` must outlive it.
class WalkedModel final : public Model {
public:
    WalkedModel(const Model& model, ShapeWalk& walk) : model_(model), walk_(walk) {}

    [[nodiscard]] const ModelInfo& info() const override { return model_.info(); }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override {
        return model_.tree(role);
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override {
        return model_.openedTree(role);
    }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return model_.precisions();
    }

    [[nodiscard]] PromptsOutline outlinePrompts(const PromptRequest& request) const override {
        return model_.outlinePrompts(request);
    }

    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override;

    [[nodiscard]] bool guidesByBatch(double cfg) const override {
        return model_.guidesByBatch(cfg);
    }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override;
    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;

private:
    const Model& model_;
    ShapeWalk& walk_;
};

}  // namespace lowtide::models
