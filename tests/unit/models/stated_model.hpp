#pragma once

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <utility>

namespace lowtide::testing {

/// A model of a family of its own: facts as a test states them, trees and settings of another
/// model. Its denoiser reads no weight and predicts half of what it is given.
class StatedModel final : public models::Model {
public:
    /// Notified of every denoiser that is made.
    using Made = std::function<void(const models::DenoiserRequest&)>;

    StatedModel(std::shared_ptr<const models::Model> other,
                const std::function<void(models::ModelInfo&)>& state,
                Made made = {})
        : other_(std::move(other)), info_(other_->info()), made_(std::move(made)) {
        state(info_);
    }

    [[nodiscard]] const models::ModelInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<models::ComponentDesc> components() const override {
        return other_->components();
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override {
        return other_->tree(role);
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override {
        return other_->openedTree(role);
    }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return other_->precisions();
    }

    [[nodiscard]] models::PromptsSpec promptsSpec(
        const models::PromptRequest& request) const override {
        return other_->promptsSpec(request);
    }

    [[nodiscard]] models::EncodedPrompts encodePrompts(
        models::StageContext& context, const models::PromptRequest& request) const override {
        return other_->encodePrompts(context, request);
    }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        models::StageContext& context, const models::DenoiserRequest& request) const override {
        if (made_) {
            made_(request);
        }
        return std::make_unique<Halving>(models::Forward(context, *tree(models::kDenoiser)));
    }

    [[nodiscard]] at::Tensor decode(models::StageContext& context,
                                    const at::Tensor& latents) const override {
        return other_->decode(context, latents);
    }

    [[nodiscard]] at::Tensor encode(models::StageContext& context,
                                    const at::Tensor& pixels) const override {
        return other_->encode(context, pixels);
    }

private:
    class Halving final : public sampling::Denoiser {
    public:
        explicit Halving(models::Forward forward) : forward_(std::move(forward)) {}

        [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                         const at::Tensor&,
                                         const sampling::StepInfo&) override {
            forward_.begin(memory::ForwardHint());
            return latents / 2;
        }

    private:
        models::Forward forward_;
    };

    std::shared_ptr<const models::Model> other_;
    models::ModelInfo info_;
    Made made_;
};

}  // namespace lowtide::testing
