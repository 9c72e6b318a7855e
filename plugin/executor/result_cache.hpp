#pragma once

#include "plugin/executor/ledger_charge.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/memory/wire_value.hpp"

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace lowtide::executor {

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
    /// Results of these keys are pinned from now on, as long as all pinned ones together stay
    /// within `limit`; without keys the limit stays. What was pinned before stays so while it is
    /// kept, unless its key is one of `ended`.
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

}  // namespace lowtide::executor
