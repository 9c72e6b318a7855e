#pragma once

#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::tensor {
class Conditioning;
}

namespace lowtide::testing {

/// Calls of a denoiser on given latents, so that a difference in one does not grow in the next.
struct GivenCalls {
    const tensor::Conditioning& prompt;
    at::Tensor latents;  ///< [calls, N, C, h, w]
    at::Tensor times;    ///< one for each call
    models::UNetResiduals residuals{};
    const sampling::StepCache* cache = nullptr;
    std::function<void(const sampling::StepInfo&)> afterCall{};
};

/// What became of them.
struct CachedCalls {
    at::Tensor made;  ///< as the latents
    std::vector<int64_t> isFull;
    sampling::StepCounts counts;
};

/// Looks after every partial call whether what a cache kept is as it was after the full one.
class KeptWatch {
public:
    void look(const sampling::StepInfo& info);

    /// After how many partial calls something was found as it was.
    [[nodiscard]] int untouched() const { return untouched_; }

private:
    std::vector<at::Tensor> kept_;
    std::vector<at::Tensor> copies_;
    int untouched_ = 0;
};

/// The denoiser of `model` as the sampler's loop runs it. The run must have it on the device.
[[nodiscard]] CachedCalls runCalls(ModelBench& bench,
                                   const models::Model& model,
                                   const GivenCalls& given);

[[nodiscard]] std::shared_ptr<const sampling::StepCache> deepCacheOf(int interval, int depth);

/// The residuals of a row of make_deepcache_goldens.py: "control", "blocks", "all"; else none.
[[nodiscard]] models::UNetResiduals residualsOf(const Truth& truth,
                                                const std::string& checkpoint,
                                                const std::string& row);

/// Why those calls are not what DeepCacheSDHelper made of them: predictions, full calls, counts,
/// and what was kept. `row`: "plain.3"; empty: they are.
[[nodiscard]] std::string helperDisagreement(const Truth& truth,
                                             const std::string& checkpoint,
                                             const std::string& row,
                                             int depth,
                                             const CachedCalls& made);

}  // namespace lowtide::testing
