#pragma once

#include <cstdint>
#include <map>
#include <string>

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

}  // namespace lowtide::executor
