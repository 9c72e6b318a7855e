#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// A stack of blocks that add to what they get. Remembers how many calls it got and which of them
/// went past the first block only.
class StackNetwork : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        const at::Tensor time = timestep.to(at::kFloat) / 1000;
        CachedCall cached(step, CacheKey::of(latents, "stack"));
        cached.enter(latents);
        const at::Tensor probe = latents + at::sin(latents * 0.7 + time) * 0.3 * broken;
        const bool isReused = cached.isReused(probe);
        at::Tensor result = isReused ? cached.value(probe) : probe;
        for (int block = 1; block < 4 && !isReused; ++block) {
            result = result + at::cos(result * (0.2 * block) + time) * 0.2;
        }
        if (!isReused) {
            cached.keep(probe, result);
        }
        partial += isReused ? '0' : '1';
        cached.finish(isReused ? StepWork::Partial : StepWork::Full);
        return result;
    }

    double broken = 1;    ///< not a number: the first block gives none
    std::string partial;  ///< "1" for a full call, "0" for a partial one
};

/// A run of a cache call by call, as the sampler's loop does it.
class CachedForward {
public:
    static constexpr CachePoints kPoints{.deepest = 0, .firstBlock = 0};

    static RunIdentity identity() {
        return {.scheduler = "euler", .checkpoint = [] { return std::string(64, 'a'); }};
    }

    /// One sigma for each call.
    CachedForward(const StepCache& cache,
                  const std::vector<double>& sigmas,
                  const CachePoints& points = kPoints)
        : calls_(static_cast<int>(sigmas.size())),
          scope_(&cache,
                 {.scheduleCalls = calls_,
                  .stages = std::vector<int>(sigmas.size(), 0),
                  .sigmas = sigmas,
                  .points = points,
                  .identity = identity()}) {}

    /// The next call; it is `network` that computes what is not forecast.
    at::Tensor call(Denoiser& network, const at::Tensor& input, uint64_t prompts = 0) {
        StepInfo info{.step = taken_, .stepCount = calls_, .taken = taken_};
        scope_.decide(info, input, prompts);
        const bool isForecast = info.decision.work == StepWork::Predict;
        const at::Tensor made =
            isForecast ? scope_.predict(info, input)
                       : network.predict(input, at::scalar_tensor(900 - 10 * taken_), info);
        scope_.finish(info, input, made);
        marks += isForecast ? '0' : '1';
        ++taken_;
        return made;
    }

    [[nodiscard]] Json record() const { return scope_.record(); }

    StepCounts end() { return scope_.end(); }

    std::string marks;  ///< "0" for a forecast call

private:
    int calls_;
    int taken_ = 0;
    CacheScope scope_;
};

/// Noise levels of a run, evenly in their logarithm.
inline std::vector<double> evenSigmas(int calls) {
    std::vector<double> sigmas;
    for (int call = 0; call < calls; ++call) {
        sigmas.push_back(std::exp(2.5 - 0.3 * call));
    }
    return sigmas;
}

}  // namespace lowtide::sampling
