#pragma once
// What a step cache is: settings that a user chose, and what a run makes of them; where networks
// can be cut; the list of all that are built.

#include "plugin/base/json.hpp"
#include "plugin/memory/combinations.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/network_facts.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::sampling {

/// What a run's steps belong to, for caches that were measured on others like it.
struct RunIdentity {
    std::string scheduler;  ///< sampler, sigmas and spacing in one text
    /// SHA-256 of the denoiser's files. They are read when it is first asked for. Any thread.
    std::function<std::string()> checkpoint;
};

/// The run that sessions are made for.
struct CachedRun {
    int firstCall = 0;           ///< index into the schedule's timesteps
    int scheduleCalls = 0;       ///< how many they are
    std::vector<int> stages;     ///< solver stage of every call that the run makes
    std::vector<double> sigmas;  ///< noise per signal of what every one of them reads
    int secondFrom = -1;         ///< first of these calls of a second denoiser; -1: there is none
    CachePoints points;          ///< of the network
    RunIdentity identity{};

    [[nodiscard]] int callCount() const { return static_cast<int>(stages.size()); }
};

/// State of a cache that lives inside the network, in one run. A full evaluation leaves the value
/// at the network's cut; a partial one takes it in place of what lies behind. Keys and slots are
/// checked by the caller. Run thread only.
class InnerSession {
public:
    virtual ~InnerSession() = default;
    /// Full or Partial, by the schedule alone.
    [[nodiscard]] virtual StepWork decide(const StepInfo& step) const = 0;

    /// Whether reuses() may still make a full evaluation of a Partial one.
    [[nodiscard]] virtual bool isGated() const { return false; }

    /// How much a partial evaluation computes, up to CachePoints::deepest.
    [[nodiscard]] virtual int depth() const = 0;

    /// What goes into the first block of an evaluation, before the cut; not written to while it
    /// lasts. Blocks that a dry run skips are not entered.
    virtual void enter(const StepInfo& /*step*/, const at::Tensor& /*input*/) {}

    /// Asked where isGated() and the evaluation was decided as Partial: whether its value is near
    /// enough; `probe` is what the network computed up to its cut. False: it goes on as a full one.
    /// A probe on the meta device has no values to be read.
    [[nodiscard]] virtual bool reuses(const StepInfo& /*step*/, const at::Tensor& /*probe*/) {
        return true;
    }

    /// An evaluation is a partial one.
    virtual void noteReused(const StepInfo& /*step*/) {}

    /// Of a full evaluation; neither is written to afterwards.
    virtual void keep(const StepInfo& step, const at::Tensor& probe, const at::Tensor& value) = 0;
    /// For a partial evaluation. The caller does not write to it.
    [[nodiscard]] virtual at::Tensor value(const StepInfo& step, const at::Tensor& probe) const = 0;
    /// A full evaluation begins: what its value will replace goes, so that both are never held.
    virtual void makeSpace(const CacheSlot& slot) = 0;
    /// All that the slot holds belongs to something else now, and goes.
    virtual void forget(const CacheSlot& slot) = 0;
    /// Every tensor that it holds.
    [[nodiscard]] virtual std::vector<at::Tensor> held() const = 0;

    /// What it learnt, for the report of the run; null: nothing. Asked once, when the run's calls
    /// are over.
    [[nodiscard]] virtual Json record() const { return {}; }
};

/// State of a cache around the network, in one run: calls whose result it forecasts do not reach
/// the network. Run thread only.
class OuterSession {
public:
    virtual ~OuterSession() = default;
    /// Asked once before every call; `input` as the network would get it.
    [[nodiscard]] virtual bool predicts(const StepInfo& step, const at::Tensor& input) = 0;
    /// The forecast result, in memory of its own.
    [[nodiscard]] virtual at::Tensor predict(const StepInfo& step, const at::Tensor& input) = 0;
    /// What the network made of `input`; not written to afterwards.
    virtual void observe(const StepInfo& step,
                         const at::Tensor& input,
                         const at::Tensor& output) = 0;
    /// Other prompts speak from now on: what was observed is of no use.
    virtual void forget() = 0;
    [[nodiscard]] virtual std::vector<at::Tensor> held() const = 0;
};

/// At most one inside the network and one around it; both empty: nothing is cached.
struct CacheSessions {
    std::unique_ptr<InnerSession> inner;
    std::unique_ptr<OuterSession> outer;

    [[nodiscard]] bool isEmpty() const { return !inner && !outer; }
};

/// A step cache's settings, on a wire. Immutable and without tensors: whatever a run learns lies in
/// its sessions.
class StepCache : public memory::WireValue, public std::enable_shared_from_this<StepCache> {
public:
    [[nodiscard]] std::string_view type() const override { return "STEP_CACHE"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override { return shared_from_this(); }

    /// For users and images' metadata: "DeepCache, interval 3, depth 1".
    [[nodiscard]] virtual std::string label() const = 0;

    /// Whether a run with it may give other results than one without.
    [[nodiscard]] virtual bool isLossy() const { return true; }

    /// What it asks of the network.
    [[nodiscard]] virtual memory::CacheNeed need() const { return memory::CacheNeed::Nothing; }

    /// Without sessions where every call of the run is computed anyway: then nothing is kept, and
    /// no byte differs. Error{InvalidInput}, Error{Unsupported} state why the run cannot use the
    /// cache.
    [[nodiscard]] virtual CacheSessions begin(const CachedRun& run) const = 0;
};

/// What the table of combinations is given about a network with these cache points.
[[nodiscard]] memory::DenoiserTraits denoiserTraits(const CachePoints& points);
/// Error{Unsupported} where the network has not what the cache needs.
void checkNeed(const StepCache& cache, const CachePoints& points);
/// What the table is given about the cache in a run. Errors as StepCache::begin().
[[nodiscard]] memory::ChosenCache chosenCache(const StepCache& cache, const CachedRun& run);

/// A step cache that is built.
struct StepCacheType {
    std::string name;  ///< "deepcache"
    /// `settings`: the node's parameters, by id. Error{InvalidInput} blames one of them.
    std::function<std::shared_ptr<const StepCache>(const Json& settings)> make;
};

/// All step caches that are built.
[[nodiscard]] std::span<const StepCacheType> stepCaches();
/// Error{NotFound} lists what there is.
[[nodiscard]] const StepCacheType& stepCacheNamed(std::string_view name);

}  // namespace lowtide::sampling
