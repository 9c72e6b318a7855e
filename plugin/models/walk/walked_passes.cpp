#include "plugin/models/walk/walked_passes.hpp"

#include "plugin/models/conditioning/conditioning_stage.hpp"
#include "plugin/models/step_hints.hpp"
#include "plugin/models/walk/shape_walk.hpp"
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
                   const memory::ComponentTree& tree,
                   ShapeWalk& walk)
        : denoiser_(std::move(denoiser)), tokens_(std::move(tokens)), tree_(tree), walk_(walk) {}

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override {
        if (step.decision.isOpen) {
            sampling::StepInfo reused = step;
            reused.decision.isOpen = false;
            walk_.tryPass(tree_, [&] { return passOver(latents, timestep, reused); });
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
            tree_, sizes, [&] { return denoiser_->predict(latents, timestep, step); }, passed);
    }

    std::unique_ptr<sampling::Denoiser> denoiser_;
    const std::vector<int64_t> tokens_;  ///< of each sequence
    const memory::ComponentTree& tree_;
    ShapeWalk& walk_;
};

}  // namespace

at::Tensor passOver(StageContext& context,
                    const memory::ComponentTree& network,
                    at::IntArrayRef sizes,
                    const std::function<at::Tensor()>& forward) {
    return context.walk ? context.walk->passOver(
                              context.treeOf(network), sizes, forward, {.hint = context.pass})
                        : forward();
}

std::unique_ptr<sampling::Denoiser> makeDenoiser(StageContext& context,
                                                 const Model& model,
                                                 const DenoiserRequest& request) {
    std::unique_ptr<sampling::Denoiser> denoiser = model.makeDenoiser(context, request);
    if (!context.walk) {
        return denoiser;
    }
    const ConditioningOutline positive = outlineOf(request.positive);
    return std::make_unique<WalkedDenoiser>(std::move(denoiser),
                                            positive.tokensOf(positive.entries().front()),
                                            context.treeOf(*treeIn(model, kDenoiser)),
                                            *context.walk);
}

}  // namespace lowtide::models
