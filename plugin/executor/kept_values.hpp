#pragma once
// What keeping nodes ask for: results that are pinned in the result cache, or kept in files that
// outlive the process.

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/executor/graph_spec.hpp"
#include "plugin/executor/kept_file.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/memory/value_codec.hpp"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::executor {

/// Error{InvalidInput} when a value of `bytes` is larger than all that may be kept.
void requireWithinLimit(Bytes bytes, Bytes limit);

/// Values that outlive the process: one safetensors file each in a folder that several processes
/// may share. Files appear whole or not at all; the ones used longest ago go first when a limit is
/// exceeded. Run thread only.
class DiskCache {
public:
    /// `folder` is made when the first value is kept; empty: nothing can be kept.
    DiskCache(std::string folder, memory::ValueCodecs codecs);

    /// The value of that name and wire type in host form; nullptr when none is kept. Counts as a
    /// use. Error{Corrupt} states why a file is not used; it is removed.
    [[nodiscard]] memory::WireRef find(const KeptName& name, std::string_view type);
    /// Keeps a value in host form, unless it is kept already, and returns the file's bytes. The
    /// files used longest ago go until all together are within `limit`.
    /// Errors: Error{Unsupported} for a type without a codec or a cache without a folder;
    /// Error{InvalidInput} when the value alone is larger than the limit; those of OutputFile.
    Bytes put(const KeptName& name, const memory::WireRef& value, Bytes limit);

private:
    [[nodiscard]] std::string pathOf(const KeptName& name) const;
    [[nodiscard]] const memory::ValueCodec* codecFor(std::string_view type) const;
    void makeSpace(Bytes limit) const;

    std::string folder_;
    memory::ValueCodecs codecs_;
};

/// What the keeping nodes of one run's graph ask for. In memory: the results behind them are
/// pinned in the result cache. On disk: values are looked up before the run and kept when the nodes
/// execute; a disk that fails costs time and never the run. Run thread only.
class KeptValues {
public:
    /// Pins. Everything must outlive this.
    KeptValues(const graph::Snapshot& snapshot,
               const GraphSpec& graphSpec,
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
    const GraphSpec& graphSpec_;
    DiskCache& disk_;
    memory::Ledger& ledger_;
    std::vector<Keeper> keepers_;
    Issues issues_;
    std::vector<Json> reports_;
};

}  // namespace lowtide::executor
