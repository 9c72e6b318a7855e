#pragma once

#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// A network with one cut: an outer part that every step computes and an inner one that a partial
/// step takes from a step before. Remembers what it did.
class CutNetwork : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        if (beforeCall) {
            beforeCall(step);
        }
        CachedCall cached(step, CacheKey::of(latents, model));
        const at::Tensor outer = at::sin(latents * 0.7) + timestep.to(at::kFloat) / 1000;
        const bool isPartial = cached.isReused(outer);
        const at::Tensor inner = isPartial ? cached.value(outer) : at::cos(outer * 3);
        if (!isPartial) {
            cached.keep(outer, inner);
        }
        partial.push_back(isPartial);
        cached.finish(isPartial ? StepWork::Partial : StepWork::Full);
        return outer + inner * 0.5;
    }

    std::string model = "network";
    std::function<void(const StepInfo&)> beforeCall;
    std::vector<bool> partial;
};

}  // namespace lowtide::sampling
