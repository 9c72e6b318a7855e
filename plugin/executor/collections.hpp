#pragma once

#include "plugin/executor/collection_history.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/memory/collection_record.hpp"
#include "plugin/memory/engine.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

/// A place in a run where a collection may happen.
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
    void tell(const memory::CollectionRecord& record) const;

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

}  // namespace lowtide::executor
