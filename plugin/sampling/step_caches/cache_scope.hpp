#pragma once

#include "plugin/sampling/step_caches/cache_key.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "plugin/sampling/step_caches/step_counts.hpp"

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/intrusive_ptr.h>

#include <functional>
#include <map>
#include <vector>

namespace lowtide::sampling {

/// The step cache of one run: its sessions begin with it and are gone with it, also after an error
/// or a cancel. Decides every call, lets networks at what is kept only after a check of its key,
/// counts what was executed and compares it with what was decided. Run thread only.
class CacheScope {
public:
    /// `cache` may be null: every call is full. Errors as StepCache::begin().
    CacheScope(const StepCache* cache, const CachedRun& run);
    CacheScope(const CacheScope&) = delete;
    CacheScope& operator=(const CacheScope&) = delete;

    /// Before a call: fills `step.decision`. `prompts`: Denoiser::promptsAt; a change makes the
    /// call full.
    void decide(StepInfo& step, const at::Tensor& input, uint64_t prompts);
    /// The result of a call decided as Predict.
    [[nodiscard]] at::Tensor predict(const StepInfo& step, const at::Tensor& input);
    /// After a call. Error{Internal} when it did other work than was decided.
    void finish(const StepInfo& step, const at::Tensor& input, const at::Tensor& output);
    /// What the session inside the network learnt; null: nothing.
    [[nodiscard]] Json record() const;
    /// Ends the sessions; nothing may be asked afterwards.
    [[nodiscard]] StepCounts end();

    // What a network asks through its CachedCall.

    [[nodiscard]] InnerSession* inner() const { return sessions_.inner.get(); }

    /// Begins one evaluation: Partial only where the slot holds a value of that key. What a full
    /// one will replace goes now.
    [[nodiscard]] StepWork grant(const StepInfo& step, const CacheKey& key);
    /// The value of a granted evaluation was not near enough: it becomes a full one.
    void refuse(const StepInfo& step);
    void keep(const StepInfo& step,
              const CacheKey& key,
              const at::Tensor& probe,
              const at::Tensor& value);
    /// An evaluation is over. Error{Internal} when it was granted other work.
    void note(StepWork granted, StepWork done);

    /// The call evaluates nothing, because no prompt speaks.
    void noteNothing() { call_.isEmpty = true; }

    /// Tensors that the session inside the network holds now: how much memory an evaluation takes
    /// depends on them.
    [[nodiscard]] size_t heldCount() const;
    /// For a walk over shapes that knows an evaluation over `sizes`: runs `work` with what would be
    /// held meanwhile, and holds afterwards what the evaluation would have left.
    void passOver(const StepInfo& step, at::IntArrayRef sizes, const std::function<void()>& work);

private:
    /// The call between decide() and finish().
    struct Call {
        StepWork decided = StepWork::Full;
        StepWork done = StepWork::Predict;  ///< the most that an evaluation did
        int evaluations = 0;
        bool isEmpty = false;
    };

    /// What a slot of the inner session holds belongs to `key`; the shapes are for passOver().
    struct Entry {
        CacheKey key;
        std::vector<int64_t> probeSizes;
        std::vector<int64_t> valueSizes;
        at::TensorOptions options;
    };

    void forget();
    void noteBytes();
    [[nodiscard]] StepWork scheduled(const StepInfo& step) const;

    CacheSessions sessions_;
    int callCount_;
    std::map<CacheSlot, Entry> entries_;
    std::vector<Entry> shapes_;  ///< one for each size of input, whatever was forgotten
    std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> kept_;  ///< ever
    Call call_;
    uint64_t prompts_ = 0;
    StepCounts counts_;
};

}  // namespace lowtide::sampling
