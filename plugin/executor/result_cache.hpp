#pragma once

#include "plugin/executor/ledger_charge.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/memory/wire_value.hpp"

#include <list>
#include <map>
#include <memory>
#include <mutex>
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
/// is passed. Thread-safe.
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
    void setLimit(Bytes limit);
    [[nodiscard]] Bytes limit() const;
    [[nodiscard]] Bytes bytes() const;
    /// Forgets everything and returns the bytes given back.
    Bytes clear();

private:
    struct Entry {
        std::string key;
        std::shared_ptr<const CachedResult> result;
    };

    using Dropped = std::vector<std::shared_ptr<const CachedResult>>;

    Dropped trim();

    memory::Ledger& ledger_;
    mutable std::mutex mutex_;
    Bytes limit_;
    Bytes bytes_ = 0;
    std::list<Entry> entries_;  ///< last used first
    std::map<std::string, std::list<Entry>::iterator> byKey_;
};

}  // namespace lowtide::executor
