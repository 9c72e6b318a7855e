#pragma once

#include "plugin/memory/resolve_precision.hpp"
#include "plugin/models/model.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/models/upscaler.hpp"

#include <mutex>

namespace lowtide::models {

/// A model of which one network is stored and computed in other types; the rest is the model's.
class ModelInPrecision final : public Model {
public:
    /// `precision.role` names the network.
    ModelInPrecision(std::shared_ptr<const Model> model, memory::ComponentPrecision precision);

    [[nodiscard]] const ModelInfo& info() const override { return model_->info(); }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return model_->precisions();
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const Model> inF32() const override;

    [[nodiscard]] PromptsOutline outlinePrompts(const PromptRequest& request) const override {
        return model_->outlinePrompts(request);
    }

    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override;

    [[nodiscard]] bool guidesByBatch(double cfg) const override {
        return model_->guidesByBatch(cfg);
    }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override;
    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;

private:
    [[nodiscard]] const TypedNetwork& network() const;
    [[nodiscard]] StageContext typed(const StageContext& context) const;

    std::shared_ptr<const Model> model_;
    memory::ComponentPrecision precision_;
    mutable std::mutex mutex_;
    mutable TypedNetwork network_;  ///< made at its first use: the model may open files for it
};

/// An upscaler stored and computed in other types.
class UpscalerInPrecision final : public Upscaler {
public:
    UpscalerInPrecision(std::shared_ptr<const Upscaler> upscaler,
                        const memory::ComponentPrecision& precision);

    [[nodiscard]] const UpscalerInfo& info() const override { return upscaler_->info(); }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return upscaler_->precisions();
    }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const override {
        return network_.tree;
    }

    [[nodiscard]] at::Tensor enlarge(StageContext& context,
                                     const at::Tensor& pixels) const override;

private:
    std::shared_ptr<const Upscaler> upscaler_;
    TypedNetwork network_;
};

}  // namespace lowtide::models
