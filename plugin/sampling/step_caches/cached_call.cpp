#include "plugin/sampling/step_caches/cached_call.hpp"

#include <utility>

namespace lowtide::sampling {

CachedCall::CachedCall(const StepInfo& step, CacheKey key)
    : step_(step),
      key_(std::move(key)),
      cache_(step.decision.cache),
      granted_(cache_ ? cache_->grant(step_, key_) : StepWork::Full) {}

int CachedCall::depth() const {
    return cache_ ? cache_->inner()->depth() : -1;
}

void CachedCall::enter(const at::Tensor& input) {
    if (cache_) {
        cache_->inner()->enter(step_, input);
    }
}

bool CachedCall::isReused(const at::Tensor& probe) {
    if (granted_ != StepWork::Partial) {
        return false;
    }
    if (step_.decision.isOpen && !cache_->inner()->reuses(step_, probe)) {
        cache_->refuse(step_);
        granted_ = StepWork::Full;
        return false;
    }
    cache_->inner()->noteReused(step_);
    return true;
}

at::Tensor CachedCall::value(const at::Tensor& probe) const {
    return cache_->inner()->value(step_, probe);
}

void CachedCall::keep(const at::Tensor& probe, const at::Tensor& value) {
    if (cache_) {
        cache_->keep(step_, key_, probe, value);
    }
}

void CachedCall::finish(StepWork done) {
    if (cache_) {
        cache_->note(granted_, done);
    }
}

}  // namespace lowtide::sampling
