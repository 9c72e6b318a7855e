#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/residency/copy_spans.hpp"
#include "plugin/residency/device/device.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::residency {

/// The bytes of one copy in pinned host memory, as they cross to the device.
struct PinnedMaster {
    std::byte* data = nullptr;
    std::atomic<bool> isFilled{false};  ///< set by the copy thread
};

/// Host copies of what streams to a device again and again: read and converted once, then copied as
/// fast as the bus is. They lie in blocks, each of which is pinned when something of it is copied
/// for the first time. Counted as Staging of the host. Run thread.
class PinnedMasters {
public:
    /// Number of a copy among those of a component.
    using MasterId = uint32_t;

    /// What of a component crosses to the device in one copy.
    struct Master {
        MasterId id = 0;
        CopySpan span;

        bool operator==(const Master&) const = default;
    };

    /// Pinning so much takes a driver about a tenth of a second; a larger master has a block of its
    /// own.
    static constexpr Bytes kBlockBytes = 256 * kMiB;

    /// Those of `masters`, the first before the others, that fit into `most` bytes (0: none).
    /// `ledger` must outlive it.
    PinnedMasters(std::string deviceId,
                  Bytes most,
                  const std::vector<Master>& masters,
                  memory::Ledger& ledger,
                  Bytes blockBytes = kBlockBytes);
    /// No copy is under way.
    ~PinnedMasters();
    PinnedMasters(const PinnedMasters&) = delete;
    PinnedMasters& operator=(const PinnedMasters&) = delete;

    /// Whether it was made of `masters` and takes at most `most` bytes. Then what more fits has
    /// places too, and the host is asked for more again.
    [[nodiscard]] bool holds(const std::vector<Master>& masters, Bytes most);

    /// The place of a master, the same every time; nullptr: it is not pinned, or not in this stay.
    /// Where the host has no more such memory the log says so once, and what is pinned by then
    /// stays. Error{Cancelled} before a block is pinned.
    [[nodiscard]] std::shared_ptr<PinnedMaster> placeFor(MasterId master,
                                                         Device& device,
                                                         const StopToken& stop);

    /// That are pinned.
    [[nodiscard]] Bytes bytes() const;

    /// Nothing of it will ever be pinned.
    [[nodiscard]] bool isEmpty() const { return places_.empty(); }

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

    [[nodiscard]] Bytes reserved() const;
    void makePlaces(Bytes most);
    [[nodiscard]] bool isPinned(Block& block, Device& device, const StopToken& stop);

    std::string deviceId_;
    std::vector<Master> masters_;  ///< with and without a place
    memory::Ledger& ledger_;
    Bytes blockBytes_;
    std::map<MasterId, Place> places_;
    std::vector<Block> blocks_;
    bool isRefused_ = false;  ///< the host has no more
};

}  // namespace lowtide::residency
