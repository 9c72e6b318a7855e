#pragma once

#include "plugin/checkpoints/weight_map.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace lowtide::models {

/// What was opened of files: the same choice gives the same value until one of its files changes.
/// Plans ask at every edit. All but the last `most` are forgotten. `Source` has files().
/// Thread-safe. A template because nothing but files() is asked of what is kept.
template <class Source>
class RecentlyOpened {
public:
    using Value = std::shared_ptr<const Source>;

    explicit RecentlyOpened(size_t most = 8) : most_(most) {}

    /// `key` is the choice as a text.
    [[nodiscard]] Value at(const std::string& key, const std::function<Value()>& open) {
        const std::lock_guard lock(mutex_);
        const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const Entry& entry) {
            return entry.key == key && areUnchanged(entry.value->files());
        });
        Entry entry{key, known == recent_.end() ? open() : known->value};
        if (known != recent_.end()) {
            recent_.erase(known);
        }
        recent_.push_front(std::move(entry));
        recent_.resize(std::min(recent_.size(), most_));
        return recent_.front().value;
    }

private:
    struct Entry {
        std::string key;
        Value value;
    };

    size_t most_;
    std::mutex mutex_;
    std::deque<Entry> recent_;  ///< the last used one in front
};

}  // namespace lowtide::models
