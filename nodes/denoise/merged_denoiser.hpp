#pragma once

#include "nodes/denoise/regional_entries.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace lowtide::nodes {

/// The positive and negative prompts on the latent image, with counterparts.
struct RegionalPrompts {
    std::vector<RegionalEntry> positive;
    std::vector<RegionalEntry> negative;
    std::vector<at::Tensor> masks{};  ///< as the conditionings have them

    /// One prompt everywhere and always, or one on each side, with equally many tokens where one
    /// call follows both: the network alone does that.
    [[nodiscard]] bool isPlain(sampling::Guidance guidance) const;
};

/// `negative` is null without guidance. Errors as regionalEntries(), on ports "positive" and
/// "negative".
[[nodiscard]] RegionalPrompts regionalPrompts(const tensor::Conditioning& positive,
                                              const tensor::Conditioning* negative,
                                              const Canvas& canvas);

/// A denoiser that follows several prompts: the network is called for one after another, and every
/// branch's prediction is sum(m p) / (1e-37 + sum(m)) over the predictions p of those that speak. m
/// is the strength; inside the image it rises over the outermost lines of an area, from 1/r to 1
/// over r = min(8, side / 4) lines, or is that of a mask, brought to the size of the latent image.
/// Where no prompt speaks the prediction is 0.
/// Source: ComfyUI samplers.py, get_area_and_mult, resolve_areas_and_cond_masks and
/// calc_cond_batch.
class MergedDenoiser final : public sampling::Denoiser {
public:
    /// All of them must outlive it; `request` as Model::makeDenoiser takes it.
    MergedDenoiser(models::StageContext& context,
                   const models::Model& model,
                   const models::DenoiserRequest& request,
                   RegionalPrompts prompts);

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;
    [[nodiscard]] uint64_t promptsAt(const at::Tensor& timestep,
                                     const sampling::StepInfo& step) const override;

private:
    using Key = std::pair<int64_t, int64_t>;  ///< negative and positive prompt, -1: none

    /// The network on some prompts, and its branch in a step cache.
    struct Branch {
        std::unique_ptr<sampling::Denoiser> network;
        uint32_t number = 0;
    };

    /// Made when it is first needed.
    [[nodiscard]] Branch& branchFor(const PromptCall& call);
    void add(const PromptCall& call,
             const at::Tensor& latents,
             const at::Tensor& timestep,
             const sampling::StepInfo& step,
             at::Tensor& sums,
             at::Tensor& counts);
    /// `asked` of the request, called with the area and the positive rows of the call.
    template <class Result>
    [[nodiscard]] std::function<Result(const models::ResidualsCall&)> inArea(
        const std::function<Result(const models::ResidualsCall&)>& asked) const;

    models::StageContext context_;  ///< without a recorder: a call is no tensor of the reference
    const models::Model& model_;
    const models::DenoiserRequest request_;
    const RegionalPrompts prompts_;
    std::vector<at::Tensor> masks_;  ///< of the prompts, at the size of the latents
    const sampling::TimeAt timeAt_;
    std::map<Key, Branch> branches_;
    std::optional<models::LatentArea> area_;  ///< of the call that is being made
    bool hasPositive_ = false;                ///< likewise: it has rows of the positive branch
};

}  // namespace lowtide::nodes
