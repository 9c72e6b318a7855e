#pragma once

#include "plugin/sampling/step_caches/cache_scope.hpp"

namespace lowtide::sampling {

/// One evaluation of a network under its step's decision: what it may leave out, what it leaves
/// behind. Without a cache it is full and nothing is kept. The scope must outlive it.
class CachedCall {
public:
    /// A partial step whose slot holds nothing of this key is a full one.
    CachedCall(const StepInfo& step, CacheKey key);

    /// Full or Partial; Full while a gate may still refuse.
    [[nodiscard]] StepWork work() const {
        return step_.decision.isOpen ? StepWork::Full : granted_;
    }

    /// Where the network is cut: how deep a partial evaluation goes; below 0: nothing is cached.
    [[nodiscard]] int depth() const;
    /// Before the first block that the network has in front of the cut, with what goes into it.
    void enter(const at::Tensor& input);
    /// Asked once, at the cut: whether value() stands for all that lies behind it. `probe`: what
    /// was computed until there.
    [[nodiscard]] bool isReused(const at::Tensor& probe);
    /// Never written to by the caller.
    [[nodiscard]] at::Tensor value(const at::Tensor& probe) const;
    /// Of a full evaluation: what a partial one can take. Neither is written to afterwards.
    void keep(const at::Tensor& probe, const at::Tensor& value);
    /// At its end. Error{Internal} when that is not what was granted.
    void finish(StepWork done);

private:
    const StepInfo step_;
    const CacheKey key_;
    CacheScope* const cache_;
    StepWork granted_;
};

}  // namespace lowtide::sampling
