#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/deepcache/deepcache_settings.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <map>
#include <utility>

namespace lowtide::sampling {

namespace {

/// One tensor a slot: the feature map that enters the way up where a partial call begins.
class DeepCacheSession final : public InnerSession {
public:
    DeepCacheSession(std::vector<bool> isFull, int depth)
        : isFull_(std::move(isFull)), depth_(depth) {}

    [[nodiscard]] StepWork decide(const StepInfo& step) const override {
        return isFull_.at(static_cast<size_t>(step.taken)) ? StepWork::Full : StepWork::Partial;
    }

    [[nodiscard]] int depth() const override { return depth_; }

    void keep(const StepInfo& step, const at::Tensor&, const at::Tensor& value) override {
        kept_[step.slot] = value;
    }

    [[nodiscard]] at::Tensor value(const StepInfo& step, const at::Tensor&) const override {
        return kept_.at(step.slot);
    }

    void makeRoom(const CacheSlot& slot) override { kept_.erase(slot); }

    void forget(const CacheSlot& slot) override { kept_.erase(slot); }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        std::vector<at::Tensor> tensors;
        for (const auto& [slot, tensor] : kept_) {
            tensors.push_back(tensor);
        }
        return tensors;
    }

private:
    const std::vector<bool> isFull_;
    const int depth_;
    std::map<CacheSlot, at::Tensor> kept_;
};

/// Ma, Fang and Wang 2023 (arXiv 2312.00858); values: DeepCache 0.1.1, DeepCacheSDHelper.
class DeepCache final : public StepCache {
public:
    explicit DeepCache(DeepCacheSettings settings) : settings_(std::move(settings)) {}

    [[nodiscard]] std::string label() const override {
        return "DeepCache, interval " + std::to_string(settings_.interval) + ", depth " +
               std::to_string(settings_.depth);
    }

    [[nodiscard]] memory::CacheNeed need() const override { return memory::CacheNeed::Cut; }

    [[nodiscard]] CacheSessions begin(const CachedRun& run) const override {
        checkNeed(*this, run.points);
        checkDepth(run.points);
        std::vector<bool> isFull = fullCalls(settings_, run);
        CacheSessions sessions;
        if (std::find(isFull.begin(), isFull.end(), false) != isFull.end()) {
            sessions.inner = std::make_unique<DeepCacheSession>(std::move(isFull), settings_.depth);
        }
        return sessions;
    }

private:
    void checkDepth(const CachePoints& points) const {
        if (settings_.depth > points.deepest) {
            throw Error(ErrorKind::InvalidInput,
                        "the depth of DeepCache is " + std::to_string(settings_.depth) +
                            ", this denoiser goes down to " + std::to_string(points.deepest),
                        "choose a depth from 0 to " + std::to_string(points.deepest),
                        "depth");
        }
    }

    const DeepCacheSettings settings_;
};

}  // namespace

StepCacheType deepcache() {
    return {.name = "deepcache", .make = [](const Json& settings) {
                return std::make_shared<const DeepCache>(readDeepCache(settings));
            }};
}

}  // namespace lowtide::sampling
