#pragma once
// What gives memory back while runs go on: collection points behind stages, unpinning, and the
// ladder after a failed allocation.

#include "plugin/base/message.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/memory/collection.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/memory/plan.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

/// Which failed allocations collections have answered, by device. One per run queue: a failure in
/// one run is answered in the next.
class CollectionHistory {
public:
    /// Whether the device's allocator failed since the last collection there.
    [[nodiscard]] bool isNew(const std::string& device, int64_t outOfMemory) const {
        const auto known = answered_.find(device);
        return outOfMemory > (known == answered_.end() ? 0 : known->second);
    }

    void answer(const std::string& device, int64_t outOfMemory) {
        answered_.insert_or_assign(device, outOfMemory);
    }

private:
    std::map<std::string, int64_t> answered_;
};

/// A point in a run where a collection may happen.
struct CollectionPoint {
    std::string name;              ///< "decode", "prompt encode", ...
    std::string node;              ///< behind which it lies, or that asks for it
    memory::DeviceSpec device;     ///< opened where it is not
    std::optional<int> threshold;  ///< percent, whatever the device is; empty: the run's settings
    bool isForced = false;
};

/// The collections of one run: decides at each point, collects, keeps the records. Run thread only.
class Collections {
public:
    /// `opened`: devices of the run; another one is opened when a point lies on it. `liveKeys`:
    /// result keys of the run's graph; results of other graphs are dead when memory is short.
    /// Everything must outlive this.
    Collections(memory::Engine& engine,
                ResultCache& cache,
                CollectionHistory& history,
                std::span<const memory::DeviceInfo> opened,
                const memory::CollectionSettings& settings,
                std::span<const std::string> liveKeys);

    /// Writes one line to the log, and an event "collect" to the ledger, when a collection ran.
    /// True when it did.
    bool at(const CollectionPoint& point);
    /// {"records", "skipped", "points", "seconds"}.
    [[nodiscard]] Json report() const;

private:
    [[nodiscard]] memory::DeviceInfo infoOf(const memory::DeviceSpec& device) const;
    memory::CollectionQuestion questionAt(const CollectionPoint& point) const;
    void collect(const CollectionPoint& point,
                 const memory::CollectionQuestion& question,
                 const memory::CollectionDecision& decision);
    void notify(const memory::CollectionRecord& record) const;

    memory::Engine& engine_;
    ResultCache& cache_;
    CollectionHistory& history_;
    std::span<const memory::DeviceInfo> opened_;
    memory::CollectionSettings settings_;
    std::set<std::string, std::less<>> liveKeys_;
    std::vector<memory::CollectionRecord> records_;
    int points_ = 0;
    int skipped_ = 0;
};

/// Host memory that was given back.
struct Unpinned {
    int64_t components = 0;
    Bytes bytes = 0;
};

/// Gives back all that is pinned and that nothing uses now.
[[nodiscard]] Unpinned unpinIdle(memory::Engine& engine);

/// What is done when a node ran out of memory, one rung of the ladder after the other: kept results
/// go, weights that nobody uses leave the devices, the node gets a tighter policy, its components
/// too. Each rung leaves the bits of the result as they are, and every component where it computes.
class Recovery {
public:
    /// `request`: what the run was planned from; nothing of the run has begun. Everything must
    /// outlive the recovery.
    Recovery(memory::PlanRequest request, memory::Engine& engine, ResultCache& cache);

    /// Takes the next rung for the node and describes in words what was done; empty when the ladder
    /// is at its end. The node was left.
    [[nodiscard]] std::optional<Message> next(memory::NodeIndex node);

    /// What the plan that holds was made of.
    [[nodiscard]] const memory::PlanRequest& request() const { return request_; }

    /// The plan that holds since a rung changed it; nullptr: the one of the beginning.
    [[nodiscard]] const std::shared_ptr<const memory::Plan>& plan() const { return plan_; }

private:
    [[nodiscard]] std::optional<Message> freeMemory();
    [[nodiscard]] std::optional<Message> tighten(memory::NodeIndex node);
    [[nodiscard]] Bytes cachedNow();
    void renewHeld();

    memory::PlanRequest request_;
    memory::Engine& engine_;
    ResultCache& cache_;
    const std::vector<memory::PlanDevice> devicesAtBegin_;
    const std::vector<memory::KeptComponent> keptAtBegin_;
    const std::vector<memory::PinnedComponent> pinnedAtBegin_;
    const Bytes cachedAtBegin_;  ///< of results, on the host
    Bytes cachedLeft_;           ///< the part of it that is still there at most
    std::shared_ptr<const memory::Plan> plan_;
    std::optional<memory::NodeIndex> node_;  ///< whose ladder it is
    size_t rung_ = 0;
};

}  // namespace lowtide::executor
