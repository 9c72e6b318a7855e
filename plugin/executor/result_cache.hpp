#pragma once
// Results of nodes between runs with their bytes in the ledger, and which nodes have to execute
// since theirs are not kept.

#include "plugin/graph/snapshot.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/memory/wire_value.hpp"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

/// The device id of host memory.
inline constexpr const char* kHostDevice = "cpu";

/// A value's bytes in the ledger, on every device that holds some, for as long as this lives.
class LedgerCharge {
public:
    LedgerCharge(memory::Ledger& ledger,
                 memory::Tag tag,
                 std::string owner,
                 const memory::WireValue& value,
                 std::span<const std::string> devices);
    ~LedgerCharge();
    LedgerCharge(const LedgerCharge&) = delete;
    LedgerCharge& operator=(const LedgerCharge&) = delete;

    /// Bytes on all devices together.
    [[nodiscard]] Bytes total() const;

private:
    memory::Ledger& ledger_;
    memory::Tag tag_;
    std::string owner_;
    std::vector<std::pair<std::string, Bytes>> bytes_;
};

/// What one node gave: its outputs in host form, and the files that it wrote. Its bytes stand in
/// the ledger as Tag::Cache for as long as somebody holds it.
struct CachedResult {
    std::map<std::string, memory::WireRef, std::less<>> outputs;
    std::vector<std::string> files;
    std::vector<std::unique_ptr<LedgerCharge>> charges;
    Bytes bytes = 0;
};

/// Results of nodes between runs, by result key; the ones used longest ago go first when the limit
/// is passed. Pinned ones have a limit of their own. Thread-safe.
class ResultCache {
public:
    static constexpr Bytes kDefaultLimit = kGiB;
    static constexpr size_t kMostEntries = 10000;

    ResultCache(memory::Ledger& ledger, Bytes limit);

    /// nullptr when there is none. Counts as a use.
    [[nodiscard]] std::shared_ptr<const CachedResult> find(const std::string& key);
    /// Keeps the result of `node`; does nothing when it is larger than the limit. `outputs` are in
    /// host form.
    void put(const std::string& key,
             const std::string& node,
             std::map<std::string, memory::WireRef, std::less<>> outputs,
             std::vector<std::string> files);
    /// Results of these keys are pinned from now on, as long as all pinned ones together are
    /// within `limit`; without keys the limit is unchanged. What was pinned before remains so while
    /// it is kept, unless its key is one of `ended`.
    void pin(std::set<std::string, std::less<>> keys,
             Bytes limit,
             const std::set<std::string, std::less<>>& ended = {});
    void setLimit(Bytes limit);
    /// The most that the result of this key may have to be kept.
    [[nodiscard]] Bytes limitOf(const std::string& key) const;
    [[nodiscard]] Bytes bytes() const;
    /// Forgets everything and returns the bytes given back.
    Bytes clear();
    /// Bytes of results that nobody uses now, pinned ones too: they would go if all were forgotten.
    [[nodiscard]] Bytes idleBytes() const;
    /// Bytes of results that are not pinned and whose key is not in `live`.
    [[nodiscard]] Bytes deadBytes(const std::set<std::string, std::less<>>& live) const;
    /// Forgets them and returns how many entries of the ledger go with them.
    int64_t dropDead(const std::set<std::string, std::less<>>& live);

private:
    struct Entry {
        std::string key;
        std::shared_ptr<const CachedResult> result;
        bool isPinned = false;
    };

    using Dropped = std::vector<std::shared_ptr<const CachedResult>>;

    [[nodiscard]] Bytes limitIn(const std::string& key) const;
    std::list<Entry>::iterator drop(std::list<Entry>::iterator entry, Dropped& dropped);
    Dropped trim();

    memory::Ledger& ledger_;
    mutable std::mutex mutex_;
    Bytes limit_;
    Bytes pinnedLimit_ = 0;
    Bytes bytes_ = 0;
    Bytes pinnedBytes_ = 0;                          ///< the part of bytes_ that is pinned
    std::set<std::string, std::less<>> pinnedKeys_;  ///< of the last pin()
    std::list<Entry> entries_;                       ///< last used first
    std::map<std::string, std::list<Entry>::iterator> byKey_;
};

/// Which nodes of a snapshot have to execute; the others are cached or fed only what is.
struct Selection {
    std::vector<bool> executes;
    /// Kept results that executing nodes or outputs take, by node.
    std::map<size_t, std::shared_ptr<const CachedResult>> kept;

    /// Positions of the nodes that execute, in order.
    [[nodiscard]] std::vector<size_t> order() const;
};

/// The kept result of a node (a position in the snapshot) with at least these outputs; nullptr when
/// there is none.
using FindKept = std::function<std::shared_ptr<const CachedResult>(
    size_t node, const std::set<std::string>& outputs)>;

/// Looks in the cache; a kept node that wrote files counts only while they exist. `keys` as
/// resultKeys(); both must outlive the result.
[[nodiscard]] FindKept keptIn(ResultCache& cache, std::span<const std::string> keys);

/// Walks back from the outputs: a node executes when its result is wanted and not kept. A control
/// node executes exactly when something that it feeds executes. `find` empty: nothing is kept.
[[nodiscard]] Selection selectWork(const graph::Snapshot& snapshot, const FindKept& find);

/// The keys under which results are kept: the nodes' own, and for those that write outside the
/// graph also where.
[[nodiscard]] std::vector<std::string> resultKeys(const graph::Snapshot& snapshot,
                                                  std::span<const std::string> keys,
                                                  std::string_view outputFolder);

}  // namespace lowtide::executor
