#pragma once
// What of a group crosses in one copy, and host copies of it that are pinned, in a stay and between
// runs.

#include "plugin/base/stop_token.hpp"
#include "plugin/memory/layout.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/residency/device/device.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::residency {

/// How a storage crosses to its device.
struct StorageCrossing {
    Bytes bytes = 0;                      ///< that cross
    std::optional<TypeChange> widened{};  ///< what the device makes of them
};

/// Storages of a group that cross in one copy, one behind the other as they lie on the device.
struct CopySpan {
    struct Part {
        memory::StorageId storage = 0;
        Bytes offset = 0;  ///< among the bytes that cross
        Bytes bytes = 0;   ///< that cross

        bool operator==(const Part&) const = default;
    };

    std::vector<Part> parts;
    Bytes target = 0;  ///< in the group
    Bytes bytes = 0;   ///< that cross, what lies between parts among them
    std::optional<TypeChange> widened{};

    bool operator==(const CopySpan&) const = default;
};

/// The copies of a group: one, unless some of it is widened on the device and some is not. A
/// storage of which no bytes cross is in none, and no copy goes over its slot.
[[nodiscard]] std::vector<CopySpan> copySpans(
    const memory::Group& group, const std::function<StorageCrossing(memory::StorageId)>& crossing);

/// The bytes of `span`; `sources` has those of each part. What lies between parts is not written.
[[nodiscard]] ByteSource joinedSource(const CopySpan& span, std::vector<ByteSource> sources);

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

/// Pinned masters that outlive the stay that made them, so that a later stay of the component
/// copies what an earlier one read. Run thread only.
class PinnedStore {
public:
    /// Those of the last stay of `component` where they have the bytes of `wanted` and take at most
    /// `most`; else these go, and the new ones are empty. Not shared with another stay that is
    /// there: that has its own.
    [[nodiscard]] std::shared_ptr<PinnedMasters> take(
        std::shared_ptr<const memory::ComponentTree> component,
        const std::string& device,
        Bytes most,
        const std::vector<PinnedMasters::Master>& wanted,
        memory::Ledger& ledger);

    /// What no stay uses.
    [[nodiscard]] std::vector<memory::PinnedComponent> idle() const;
    using IsMeant = std::function<bool(const memory::ComponentTree&, const std::string& device)>;
    /// Unpins what no stay uses of the components that `isMeant`, and returns the bytes.
    Bytes drop(const IsMeant& isMeant);

private:
    struct Kept {
        std::shared_ptr<const memory::ComponentTree> tree;
        std::string device;
        std::shared_ptr<PinnedMasters> masters;

        [[nodiscard]] bool isIdle() const { return masters.use_count() == 1; }
    };

    std::vector<Kept> kept_;
};

}  // namespace lowtide::residency
