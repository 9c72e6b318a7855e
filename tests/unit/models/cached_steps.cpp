#include "tests/unit/models/cached_steps.hpp"

#include "plugin/base/json.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::testing {

namespace {

std::vector<at::Tensor> listIn(const Truth& truth, const std::string& prefix) {
    std::vector<at::Tensor> list;
    for (size_t i = 0; truth.has(prefix + std::to_string(i)); ++i) {
        list.push_back(truth.tensor(prefix + std::to_string(i)));
    }
    return list;
}

}  // namespace

void KeptWatch::look(const sampling::StepInfo& info) {
    if (info.decision.work == sampling::StepWork::Full) {
        kept_ = info.decision.cache->inner()->held();
        copies_.clear();
        for (const at::Tensor& tensor : kept_) {
            copies_.push_back(tensor.clone());
        }
        return;
    }
    const bool isEqual = std::equal(kept_.begin(),
                                    kept_.end(),
                                    copies_.begin(),
                                    copies_.end(),
                                    [](const auto& a, const auto& b) { return at::equal(a, b); });
    untouched_ += !kept_.empty() && isEqual ? 1 : 0;
}

CachedCalls runCalls(ModelBench& bench, const models::Model& model, const GivenCalls& given) {
    const auto count = static_cast<int>(given.times.numel());
    models::StageContext context{bench.residency(), tensor::Record(nullptr)};
    const auto denoiser =
        model.makeDenoiser(context,
                           {.positive = given.prompt,
                            .negative = nullptr,
                            .image = model.info().latent.sizeOf(given.latents[0].sizes().vec()),
                            .batch = given.latents.size(1),
                            .cfg = 1,
                            .residuals = [&](const auto&) { return given.residuals; }});
    sampling::CacheScope scope(given.cache,
                               {.scheduleCalls = count,
                                .stages = std::vector<int>(static_cast<size_t>(count), 0),
                                .points = model.info().cachePoints});
    CachedCalls calls;
    std::vector<at::Tensor> made;
    for (int step = 0; step < count; ++step) {
        sampling::StepInfo info{.step = step, .stepCount = count, .taken = step};
        const at::Tensor input = given.latents[step];
        scope.decide(info, input, 0);
        made.push_back(denoiser->predict(input, given.times[step], info));
        scope.finish(info, input, made.back());
        if (given.afterCall) {
            given.afterCall(info);
        }
        calls.isFull.push_back(info.decision.work == sampling::StepWork::Full ? 1 : 0);
    }
    calls.made = at::stack(made);
    calls.counts = scope.end();
    return calls;
}

std::shared_ptr<const sampling::StepCache> deepCacheOf(int interval, int depth) {
    return sampling::stepCacheNamed("deepcache").make({{"interval", interval}, {"depth", depth}});
}

models::UNetResiduals residualsOf(const Truth& truth,
                                  const std::string& checkpoint,
                                  const std::string& row) {
    models::UNetResiduals residuals;
    if (row == "control" || row == "all") {
        residuals.skips = listIn(truth, checkpoint + ".skip.");
        residuals.middle = truth.tensor(checkpoint + ".middle");
    }
    if (row == "blocks" || row == "all") {
        residuals.blocks = listIn(truth, checkpoint + ".block.");
    }
    if (row == "all" && truth.has(checkpoint + ".extra")) {
        residuals.blocks.push_back(truth.tensor(checkpoint + ".extra"));
    }
    return residuals;
}

std::string helperDisagreement(const Truth& truth,
                               const std::string& checkpoint,
                               const std::string& row,
                               int depth,
                               const CachedCalls& made) {
    const std::string interval = row.substr(row.find('.') + 1);
    const std::string key = checkpoint + "." + row + "." + std::to_string(depth);
    if (std::string problem = truth.disagreement(key, made.made); !problem.empty()) {
        return problem;
    }
    const at::Tensor full = truth.tensor(checkpoint + ".full." + interval);
    const auto* begin = full.const_data_ptr<int64_t>();
    if (made.isFull != std::vector<int64_t>(begin, begin + full.numel())) {
        return "other calls are full";
    }
    const auto fullCount = full.sum().item<int64_t>();
    if (made.counts.full != fullCount || made.counts.partial != full.numel() - fullCount ||
        !made.counts.misses.empty()) {
        return "counted " + std::to_string(made.counts.full) + " full and " +
               std::to_string(made.counts.partial) + " partial calls";
    }
    const bool isKept = made.counts.mostBytes > 0 && made.counts.bytesAfter == 0;
    return isKept ? "" : "it kept nothing, or kept it beyond the run";
}

}  // namespace lowtide::testing
