#include "plugin/executor/result_cache.hpp"

#include <array>

namespace lowtide::executor {

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
        bytes_ -= known->second->result->bytes;
        dropped.push_back(known->second->result);
        entries_.erase(known->second);
        byKey_.erase(known);
    }
    if (result->bytes > limit_) {
        dropped.push_back(std::move(result));
        return;
    }
    bytes_ += result->bytes;
    entries_.push_front({key, std::move(result)});
    byKey_[key] = entries_.begin();
    Dropped trimmed = trim();
    dropped.insert(dropped.end(), trimmed.begin(), trimmed.end());
}

ResultCache::Dropped ResultCache::trim() {
    Dropped dropped;
    while (bytes_ > limit_ || entries_.size() > kMostEntries) {
        bytes_ -= entries_.back().result->bytes;
        dropped.push_back(std::move(entries_.back().result));
        byKey_.erase(entries_.back().key);
        entries_.pop_back();
    }
    return dropped;
}

void ResultCache::setLimit(Bytes limit) {
    Dropped dropped;
    const std::lock_guard lock(mutex_);
    limit_ = limit;
    dropped = trim();
}

Bytes ResultCache::limit() const {
    const std::lock_guard lock(mutex_);
    return limit_;
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
    return std::exchange(bytes_, 0);
}

}  // namespace lowtide::executor
