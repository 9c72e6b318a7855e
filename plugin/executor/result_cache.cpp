#include "plugin/executor/result_cache.hpp"

#include "plugin/base/hash.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace lowtide::executor {

LedgerCharge::LedgerCharge(memory::Ledger& ledger,
                           memory::Tag tag,
                           std::string owner,
                           const memory::WireValue& value,
                           std::span<const std::string> devices)
    : ledger_(ledger), tag_(tag), owner_(std::move(owner)) {
    for (const std::string& device : devices) {
        if (const Bytes bytes = value.bytesOn(device); bytes > 0) {
            bytes_.emplace_back(device, bytes);
        }
    }
    for (const auto& [device, bytes] : bytes_) {
        ledger_.add(device, tag_, owner_, bytes);
    }
}

LedgerCharge::~LedgerCharge() {
    for (const auto& [device, bytes] : bytes_) {
        ledger_.add(device, tag_, owner_, -bytes);
    }
}

Bytes LedgerCharge::total() const {
    Bytes sum = 0;
    for (const auto& [device, bytes] : bytes_) {
        sum += bytes;
    }
    return sum;
}

ResultCache::ResultCache(memory::Ledger& ledger, Bytes limit) : ledger_(ledger), limit_(limit) {}

std::shared_ptr<const CachedResult> ResultCache::find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = byKey_.find(key);
    if (found == byKey_.end()) {
        return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->result;
}

void ResultCache::put(const std::string& key,
                      const std::string& node,
                      std::map<std::string, memory::WireRef, std::less<>> outputs,
                      std::vector<std::string> files) {
    const std::array<std::string, 1> host = {kHostDevice};
    auto result = std::make_shared<CachedResult>();
    for (const auto& [port, value] : outputs) {
        result->charges.push_back(std::make_unique<LedgerCharge>(
            ledger_, memory::Tag::Cache, node + "." + port, *value, host));
        result->bytes += result->charges.back()->total();
    }
    result->outputs = std::move(outputs);
    result->files = std::move(files);
    Dropped dropped;  // values are freed after the lock
    const std::lock_guard lock(mutex_);
    if (const auto known = byKey_.find(key); known != byKey_.end()) {
        drop(known->second, dropped);
    }
    if (result->bytes > limitIn(key)) {
        dropped.push_back(std::move(result));
        return;
    }
    const bool isPinned = pinnedKeys_.contains(key);
    bytes_ += result->bytes;
    pinnedBytes_ += isPinned ? result->bytes : 0;
    entries_.push_front({key, std::move(result), isPinned});
    byKey_[key] = entries_.begin();
    Dropped trimmed = trim();
    dropped.insert(dropped.end(), trimmed.begin(), trimmed.end());
}

std::list<ResultCache::Entry>::iterator ResultCache::drop(std::list<Entry>::iterator entry,
                                                          Dropped& dropped) {
    bytes_ -= entry->result->bytes;
    pinnedBytes_ -= entry->isPinned ? entry->result->bytes : 0;
    dropped.push_back(std::move(entry->result));
    byKey_.erase(entry->key);
    return entries_.erase(entry);
}

/// From the entry used longest ago on: those whose kind has passed its limit.
ResultCache::Dropped ResultCache::trim() {
    Dropped dropped;
    for (auto entry = entries_.end(); entry != entries_.begin();) {
        --entry;
        const bool isTooMuch =
            entry->isPinned ? pinnedBytes_ > pinnedLimit_ : bytes_ - pinnedBytes_ > limit_;
        if (isTooMuch || entries_.size() > kMostEntries) {
            entry = drop(entry, dropped);
        }
    }
    return dropped;
}

void ResultCache::pin(std::set<std::string, std::less<>> keys,
                      Bytes limit,
                      const std::set<std::string, std::less<>>& ended) {
    Dropped dropped;
    const std::lock_guard lock(mutex_);
    pinnedKeys_ = std::move(keys);
    pinnedLimit_ = pinnedKeys_.empty() ? pinnedLimit_ : limit;
    pinnedBytes_ = 0;
    for (Entry& entry : entries_) {
        entry.isPinned =
            (entry.isPinned && !ended.contains(entry.key)) || pinnedKeys_.contains(entry.key);
        pinnedBytes_ += entry.isPinned ? entry.result->bytes : 0;
    }
    dropped = trim();
}

void ResultCache::setLimit(Bytes limit) {
    Dropped dropped;
    const std::lock_guard lock(mutex_);
    limit_ = limit;
    dropped = trim();
}

Bytes ResultCache::limitIn(const std::string& key) const {
    return pinnedKeys_.contains(key) ? pinnedLimit_ : limit_;
}

Bytes ResultCache::limitOf(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return limitIn(key);
}

Bytes ResultCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

Bytes ResultCache::clear() {
    std::list<Entry> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(entries_);
    byKey_.clear();
    pinnedBytes_ = 0;
    return std::exchange(bytes_, 0);
}

Bytes ResultCache::idleBytes() const {
    const std::lock_guard lock(mutex_);
    Bytes bytes = 0;
    for (const Entry& entry : entries_) {
        bytes += entry.result.use_count() == 1 ? entry.result->bytes : 0;
    }
    return bytes;
}

Bytes ResultCache::deadBytes(const std::set<std::string, std::less<>>& live) const {
    const std::lock_guard lock(mutex_);
    Bytes bytes = 0;
    for (const Entry& entry : entries_) {
        bytes += entry.isPinned || live.contains(entry.key) ? 0 : entry.result->bytes;
    }
    return bytes;
}

int64_t ResultCache::dropDead(const std::set<std::string, std::less<>>& live) {
    Dropped dropped;  // values are freed after the lock
    const std::lock_guard lock(mutex_);
    int64_t count = 0;
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        if (entry->isPinned || live.contains(entry->key)) {
            ++entry;
            continue;
        }
        count += static_cast<int64_t>(entry->result->charges.size());
        entry = drop(entry, dropped);
    }
    return count;
}

namespace {

bool allExist(const std::vector<std::string>& files) {
    return std::all_of(files.begin(), files.end(), [](const std::string& file) {
        std::error_code error;
        return std::filesystem::exists(file, error);
    });
}

bool holdsAll(const CachedResult& result, const std::set<std::string>& ports) {
    return std::all_of(ports.begin(), ports.end(), [&](const std::string& port) {
        return result.outputs.contains(port);
    });
}

}  // namespace

std::vector<size_t> Selection::order() const {
    std::vector<size_t> positions;
    for (size_t node = 0; node < executes.size(); ++node) {
        if (executes[node]) {
            positions.push_back(node);
        }
    }
    return positions;
}

FindKept keptIn(ResultCache& cache, std::span<const std::string> keys) {
    return [&cache, keys](size_t node, const std::set<std::string>& outputs) {
        auto kept = cache.find(keys[node]);
        const bool isUsable = kept && holdsAll(*kept, outputs) && allExist(kept->files);
        return isUsable ? kept : nullptr;
    };
}

Selection selectWork(const graph::Snapshot& snapshot, const FindKept& find) {
    Selection selection;
    selection.executes.assign(snapshot.nodes.size(), false);
    std::vector<std::set<std::string>> taken(snapshot.nodes.size());  // outputs that are wanted
    for (size_t node = snapshot.nodes.size(); node-- > 0;) {
        const NodeDesc& desc = *snapshot.nodes[node].desc;
        if (taken[node].empty() && !snapshot.nodes[node].isWanted) {
            continue;
        }
        if (find && !desc.control) {
            if (auto kept = find(node, taken[node])) {
                selection.kept.emplace(node, std::move(kept));
                continue;
            }
        }
        selection.executes[node] = true;
        for (const graph::SnapshotInput& input : snapshot.nodes[node].inputs) {
            taken[input.sourceNode].insert(input.sourcePort);
        }
    }
    return selection;
}

std::vector<std::string> resultKeys(const graph::Snapshot& snapshot,
                                    std::span<const std::string> keys,
                                    std::string_view outputFolder) {
    std::vector<std::string> result(keys.begin(), keys.end());
    for (size_t node = 0; node < result.size(); ++node) {
        if (snapshot.nodes[node].desc->sideEffect) {
            result[node] = Hasher().add(keys[node]).add(outputFolder).hexDigest();
        }
    }
    return result;
}

}  // namespace lowtide::executor
