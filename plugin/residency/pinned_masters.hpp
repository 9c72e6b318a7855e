#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/memory/component_ids.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/residency/device/device.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::residency {

/// A storage's bytes in pinned host memory, as they cross to the device.
struct PinnedMaster {
    std::byte* data = nullptr;
    std::atomic<bool> isFilled{false};  ///< set by the copy thread
};

/// Host copies of what streams to a device again and again: read and converted once, then copied as
/// fast as the bus is. They lie in blocks, each of which is pinned when something of it is copied
/// for the first time. Counted as Staging of the host. Run thread.
class PinnedMasters {
public:
    /// Bytes of a storage that cross to the device.
    struct Master {
        memory::StorageId storage = 0;
        Bytes bytes = 0;
    };

    /// Pinning so much takes a driver about a tenth of a second; larger storages have a block each.
    static constexpr Bytes kBlockBytes = 256 * kMiB;

    /// Those of `masters`, the first before the others, that fit into `most` bytes (0: none).
    /// `device` and `ledger` must outlive it.
    PinnedMasters(Device& device,
                  std::string deviceId,
                  Bytes most,
                  const std::vector<Master>& masters,
                  memory::Ledger& ledger,
                  Bytes blockBytes = kBlockBytes);
    /// No copy is under way.
    ~PinnedMasters();
    PinnedMasters(const PinnedMasters&) = delete;
    PinnedMasters& operator=(const PinnedMasters&) = delete;

    /// The place of a storage, the same every time; nullptr: it is not pinned, and never will be.
    /// Where the host has no more such memory the log says so once, and what is pinned by then
    /// stays. Error{Cancelled} before a block is pinned.
    [[nodiscard]] std::shared_ptr<PinnedMaster> placeFor(memory::StorageId storage,
                                                         const StopToken& stop);

private:
    struct Place {
        size_t block = 0;
        Bytes offset = 0;
        std::shared_ptr<PinnedMaster> master;  ///< null before the block is pinned
    };

    struct Block {
        Bytes bytes = 0;
        std::unique_ptr<Arena> memory;
    };

    [[nodiscard]] bool isPinned(Block& block, const StopToken& stop);

    Device& device_;
    std::string deviceId_;
    memory::Ledger& ledger_;
    std::map<memory::StorageId, Place> places_;
    std::vector<Block> blocks_;
    bool isRefused_ = false;  ///< the host has no more
};

}  // namespace lowtide::residency
