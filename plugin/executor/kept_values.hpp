#pragma once

#include "plugin/base/json.hpp"
#include "plugin/executor/disk_cache.hpp"
#include "plugin/executor/outline_pass.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/graph/key.hpp"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

/// What the keeping nodes of one run's graph ask for. In memory: the results behind them are
/// pinned in the result cache. On disk: values are looked up before the run and kept when the nodes
/// execute; a disk that fails costs time and never the run. Run thread only.
class KeptValues {
public:
    /// Pins. Everything must outlive this.
    KeptValues(const graph::Snapshot& snapshot,
               const OutlinedGraph& outlined,
               ResultCache& cache,
               DiskCache& disk,
               memory::Ledger& ledger);

    /// A node's outputs from the disk; nullptr unless all of `ports` are kept there.
    [[nodiscard]] std::shared_ptr<const CachedResult> find(size_t node,
                                                           const std::set<std::string>& ports);
    /// The keeping node at `keeper` executed and passed `value` on. Does nothing for other nodes.
    void keep(size_t keeper, const memory::WireRef& value);

    /// Warnings since the last call: files that were not used, values that could not be kept.
    [[nodiscard]] Issues takeIssues();
    /// What was looked up and kept since the last call: {"node", "action", "place", "bytes"}.
    [[nodiscard]] std::vector<Json> takeReports();

private:
    struct Keeper {
        size_t position = 0;
        KeepRequest request;
        graph::SnapshotOutput source;  ///< whose value is kept
    };

    void lookUp(const Keeper& keeper, CachedResult& result);
    Bytes store(const Keeper& keeper, const memory::WireRef& value);
    void warn(Issue issue);
    void report(const Keeper& keeper, const char* action, Bytes bytes);

    const graph::Snapshot& snapshot_;
    const OutlinedGraph& outlined_;
    DiskCache& disk_;
    memory::Ledger& ledger_;
    std::vector<Keeper> keepers_;
    Issues issues_;
    std::vector<Json> reports_;
};

}  // namespace lowtide::executor
