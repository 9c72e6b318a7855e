#include "plugin/models/walk/walked_model.hpp"

#include "plugin/models/conditioning/conditioning_stage.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/step_hints.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"

#include <utility>

namespace lowtide::models {

namespace {

/// The denoiser of every step but the first takes what the first took.
class WalkedDenoiser final : public sampling::Denoiser {
public:
    WalkedDenoiser(std::unique_ptr<sampling::Denoiser> denoiser,
                   std::vector<int64_t> tokens,
                   std::shared_ptr<const memory::ComponentTree> tree,
                   ShapeWalk& walk)
        : denoiser_(std::move(denoiser)),
          tokens_(std::move(tokens)),
          tree_(std::move(tree)),
          walk_(walk) {}

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override {
        if (step.decision.isOpen) {
            sampling::StepInfo reused = step;
            reused.decision.isOpen = false;
            walk_.tryPass(*tree_, [&] { return passOver(latents, timestep, reused); });
        }
        return passOver(latents, timestep, step);
    }

private:
    [[nodiscard]] at::Tensor passOver(const at::Tensor& latents,
                                      const at::Tensor& timestep,
                                      const sampling::StepInfo& step) {
        const sampling::StepDecision& decision = step.decision;
        const auto work = decision.isOpen ? sampling::StepWork::Full : decision.work;
        std::vector<int64_t> sizes = latents.sizes().vec();
        sizes.insert(sizes.end(), tokens_.begin(), tokens_.end());
        sizes.insert(sizes.end(), {static_cast<int64_t>(work), decision.isOpen});
        PassedOver passed{.hint = passHint(step, work)};
        if (decision.cache) {
            if (decision.work == sampling::StepWork::Partial) {
                sizes.push_back(static_cast<int64_t>(decision.cache->heldCount()));
            }
            passed.around = [&](const auto& take) {
                decision.cache->passOver(step, latents.sizes(), take);
            };
        }
        return walk_.passOver(
            *tree_, sizes, [&] { return denoiser_->predict(latents, timestep, step); }, passed);
    }

    std::unique_ptr<sampling::Denoiser> denoiser_;
    const std::vector<int64_t> tokens_;  ///< of each sequence
    std::shared_ptr<const memory::ComponentTree> tree_;
    ShapeWalk& walk_;
};

}  // namespace

EncodedPrompts WalkedModel::encodePrompts(StageContext& context,
                                          const PromptRequest& request) const {
    return model_.encodePrompts(context, request);
}

std::unique_ptr<sampling::Denoiser> WalkedModel::makeDenoiser(
    StageContext& context, const DenoiserRequest& request) const {
    const ConditioningOutline positive = outlineOf(request.positive);
    return std::make_unique<WalkedDenoiser>(model_.makeDenoiser(context, request),
                                            positive.tokensOf(positive.entries().front()),
                                            treeIn(model_, kDenoiser),
                                            walk_);
}

at::Tensor WalkedModel::decode(StageContext& context, const at::Tensor& latents) const {
    return walk_.passOver(*treeIn(model_, kAutoencoder),
                          latents.sizes(),
                          [&] { return model_.decode(context, latents); },
                          {.hint = context.pass});
}

at::Tensor WalkedModel::encode(StageContext& context, const at::Tensor& pixels) const {
    return walk_.passOver(*treeIn(model_, kAutoencoder),
                          pixels.sizes(),
                          [&] { return model_.encode(context, pixels); },
                          {.hint = context.pass});
}

}  // namespace lowtide::models
