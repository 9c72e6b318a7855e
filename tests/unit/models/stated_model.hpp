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
/// model. Its denoiser reads no weight.
class StatedModel final : public models::Model {
public:
    /// Notified of every denoiser that is made.
    using Made = std::function<void(const models::DenoiserRequest&)>;
    /// What its denoiser predicts.
    using Predict =
        std::function<at::Tensor(const at::Tensor& latents, const sampling::StepInfo& step)>;

    /// `predict`: half of the latents where it is not set.
    StatedModel(std::shared_ptr<const models::Model> other,
                const std::function<void(models::ModelInfo&)>& state,
                Made made = {},
                Predict predict = {})
        : other_(std::move(other)),
          info_(other_->info()),
          made_(std::move(made)),
          predict_(predict ? std::move(predict) : half) {
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
        return std::make_unique<Stated>(models::Forward(context, *tree(models::kDenoiser)),
                                        predict_);
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
    static at::Tensor half(const at::Tensor& latents, const sampling::StepInfo&) {
        return latents / 2;
    }

    class Stated final : public sampling::Denoiser {
    public:
        Stated(models::Forward forward, const Predict& given)
            : forward_(std::move(forward)), given_(given) {}

        [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                         const at::Tensor&,
                                         const sampling::StepInfo& step) override {
            forward_.begin(memory::ForwardHint());
            return given_(latents, step);
        }

    private:
        models::Forward forward_;
        const Predict& given_;
    };

    std::shared_ptr<const models::Model> other_;
    models::ModelInfo info_;
    Made made_;
    Predict predict_;
};

}  // namespace lowtide::testing
