#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/residency/device/device.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <string>

namespace lowtide::residency {

/// A storage's bytes in pinned host memory, as they cross to the device.
struct PinnedMaster {
    std::byte* data = nullptr;
    std::atomic<bool> isFilled{false};  ///< set by the copy thread
};

/// Host copies of what streams to a device again and again: read and converted once, then copied as
/// fast as the bus is. Counted as Staging of the host. Run thread.
class PinnedMasters {
public:
    /// `most`: bytes to pin, 0 for none. `device` and `ledger` must outlive it.
    PinnedMasters(Device& device, std::string deviceId, Bytes most, memory::Ledger& ledger);
    /// No copy is under way.
    ~PinnedMasters();
    PinnedMasters(const PinnedMasters&) = delete;
    PinnedMasters& operator=(const PinnedMasters&) = delete;

    /// The place of a storage's `bytes`, the same every time; nullptr: there is no room for it, and
    /// none comes. Where the host has no such memory nothing is pinned, and the log says so once.
    [[nodiscard]] std::shared_ptr<PinnedMaster> placeFor(memory::StorageId storage, Bytes bytes);

private:
    [[nodiscard]] bool hasMemory();

    Device& device_;
    std::string deviceId_;
    Bytes most_;
    memory::Ledger& ledger_;
    std::unique_ptr<Arena> memory_;
    Bytes used_ = 0;
    std::map<memory::StorageId, std::shared_ptr<PinnedMaster>> places_;
};

}  // namespace lowtide::residency
