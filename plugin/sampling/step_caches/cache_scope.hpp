#pragma once
// One run's cache sessions and the evaluations under their decisions: what may be reused, what is
// kept and under which key, what was counted.

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::sampling {

/// What a value belongs to that a network left in a cache session.
struct CacheKey {
    std::vector<int64_t> sizes;  ///< of the network's input
    at::ScalarType type = at::kFloat;
    c10::Device device = c10::kCPU;
    std::string model;  ///< id of the component tree, in its types and with its deltas

    /// For an evaluation over `input`.
    [[nodiscard]] static CacheKey of(const at::Tensor& input, std::string model);
};

/// The first difference in a word ("shape", "dtype", "device", "model"); empty where both are the
/// same.
[[nodiscard]] std::optional<std::string_view> differenceOf(const CacheKey& kept,
                                                           const CacheKey& wanted);

/// What a run's calls of the network did, counted as they were executed. A call that evaluates the
/// network several times counts as full where one of them was.
struct StepCounts {
    int64_t full = 0;
    int64_t partial = 0;
    int64_t predicted = 0;
    /// Evaluations that should have reused something and could not, by reason: "cold" (nothing was
    /// kept), the words of differenceOf(), "prompts" (others speak than before), "gate" (it changed
    /// too much).
    std::map<std::string, int64_t> misses;
    Bytes mostBytes = 0;   ///< that the sessions held at once
    Bytes bytesAfter = 0;  ///< of what they kept that is still alive after their end

    bool operator==(const StepCounts&) const = default;
};

/// {"full", "partial", "predicted", "misses": {reason: n}, "bytes", "bytes_after"}.
[[nodiscard]] Json toJson(const StepCounts& counts);

/// The step cache of one run: its sessions begin with it and are gone with it, also after an error
/// or a cancel. Decides every call, lets networks at what is kept only after a check of its key,
/// counts what was executed and compares it with what was decided. Run thread only.
class CacheScope {
public:
    /// `cache` may be null: every call is full. Errors as StepCache::begin().
    CacheScope(const StepCache* cache, const CachedRun& run);
    CacheScope(const CacheScope&) = delete;
    CacheScope& operator=(const CacheScope&) = delete;

    /// Before a call: fills `step.decision`. `prompts`: Denoiser::promptsAt; a change of them makes
    /// the call full.
    void decide(StepInfo& step, const at::Tensor& input, uint64_t prompts);
    /// The result of a call decided as Predict.
    [[nodiscard]] at::Tensor predict(const StepInfo& step, const at::Tensor& input);
    /// After a call. Error{Internal} when it did other work than was decided.
    void finish(const StepInfo& step, const at::Tensor& input, const at::Tensor& output);

    /// Calls may be forecast: it is asked for both prompts at once, and given their results.
    [[nodiscard]] bool forecasts() const { return sessions_.outer != nullptr; }

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
    /// For a dry run that knows an evaluation over `sizes`: runs `work` with what would be
    /// held meanwhile, and holds afterwards what the evaluation would have left.
    void skipForward(const StepInfo& step,
                     at::IntArrayRef sizes,
                     const std::function<void()>& work);

private:
    /// The call between decide() and finish().
    struct Call {
        StepWork decided = StepWork::Full;
        StepWork done = StepWork::Predict;  ///< the most that an evaluation did
        int evaluations = 0;
        bool isEmpty = false;
    };

    /// What a slot of the inner session holds belongs to `key`; the shapes are for skipForward().
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
