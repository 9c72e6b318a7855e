#include "plugin/nn/walk/walked_passes.hpp"

#include "plugin/nn/step_hints.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"

#include <utility>

namespace lowtide::models {

namespace {

/// One step of a denoiser in a walk.
at::Tensor walkedStep(ShapeWalk& walk,
                      const memory::ComponentTree& tree,
                      const at::Tensor& latents,
                      std::vector<int64_t> sizes,
                      const sampling::StepInfo& step,
                      const std::function<at::Tensor(const sampling::StepInfo&)>& forward) {
    const sampling::StepDecision& decision = step.decision;
    const auto work = decision.isOpen ? sampling::StepWork::Full : decision.work;
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
    return walk
        .passOver(
            tree, sizes, [&] { return std::vector<at::Tensor>{forward(step)}; }, passed)
        .front();
}

}  // namespace

at::Tensor passOver(StageContext& context,
                    const memory::ComponentTree& network,
                    at::IntArrayRef sizes,
                    const std::function<at::Tensor()>& forward) {
    at::Tensor result = context.walk
                            ? context.walk
                                  ->passOver(context.treeOf(network),
                                             sizes,
                                             [&] { return std::vector<at::Tensor>{forward()}; },
                                             {.hint = context.pass})
                                  .front()
                            : forward();
    noteFinite(context, network, result);
    return result;
}

std::vector<at::Tensor> passOver(ShapeWalk* walk,
                                 const memory::ComponentTree& tree,
                                 at::IntArrayRef sizes,
                                 const PassedOver& passed,
                                 const std::function<std::vector<at::Tensor>()>& forward) {
    return walk ? walk->passOver(tree, sizes, forward, passed) : forward();
}

void onDeviceOf(ShapeWalk* walk,
                const memory::ComponentTree& tree,
                const std::function<void()>& work) {
    if (walk) {
        walk->onDeviceOf(tree, work);
    } else {
        work();
    }
}

at::Tensor stepOver(ShapeWalk* walk,
                    const memory::ComponentTree& tree,
                    const at::Tensor& latents,
                    at::IntArrayRef sizes,
                    const sampling::StepInfo& step,
                    const std::function<at::Tensor(const sampling::StepInfo&)>& forward) {
    if (!walk) {
        return forward(step);
    }
    std::vector<int64_t> all = latents.sizes().vec();
    all.insert(all.end(), sizes.begin(), sizes.end());
    if (step.decision.isOpen) {
        sampling::StepInfo reused = step;
        reused.decision.isOpen = false;
        walk->tryPass(tree, [&] { return walkedStep(*walk, tree, latents, all, reused, forward); });
    }
    return walkedStep(*walk, tree, latents, std::move(all), step, forward);
}

}  // namespace lowtide::models
