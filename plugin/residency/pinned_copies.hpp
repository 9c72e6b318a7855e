#pragma once
// What of a group crosses in one copy, and host copies of it that are pinned, in a residency and
// between runs.

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
struct StorageTransfer {
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
    const memory::Group& group, const std::function<StorageTransfer(memory::StorageId)>& transfer);

/// The bytes of `span`; `sources` has those of each part. What lies between parts is not written.
[[nodiscard]] ByteSource joinedSource(const CopySpan& span, std::vector<ByteSource> sources);

/// The bytes of one copy in pinned host memory, as they cross to the device.
struct PinnedCopy {
    std::byte* data = nullptr;
    std::atomic<bool> isFilled{false};  ///< set by the copy thread
};

/// Host copies of what streams to a device again and again: read and converted once, then copied as
/// fast as the bus is. They lie in blocks, each of which is pinned when something of it is copied
/// for the first time. Counted as Staging of the host. Run thread.
class PinnedCopies {
public:
    /// Number of a copy among those of a component.
    using HostCopyId = uint32_t;

    /// What of a component crosses to the device in one copy.
    struct HostCopy {
        HostCopyId id = 0;
        CopySpan span;

        bool operator==(const HostCopy&) const = default;
    };

    /// Pinning so much takes a driver about a tenth of a second; a larger host copy has a block of
    /// its own.
    static constexpr Bytes kBlockBytes = 256 * kMiB;

    /// Those of `copies`, the first before the others, that fit into `most` bytes (0: none).
    /// `ledger` must outlive it.
    PinnedCopies(std::string deviceId,
                 Bytes most,
                 const std::vector<HostCopy>& copies,
                 memory::Ledger& ledger,
                 Bytes blockBytes = kBlockBytes);
    /// No copy is under way.
    ~PinnedCopies();
    PinnedCopies(const PinnedCopies&) = delete;
    PinnedCopies& operator=(const PinnedCopies&) = delete;

    /// Whether it was made of `copies` and takes at most `most` bytes. Then what more fits has
    /// slots too, and the host is asked for more again.
    [[nodiscard]] bool holds(const std::vector<HostCopy>& copies, Bytes most);

    /// The slot of a host copy, the same every time; nullptr: it is not pinned, or not in this
    /// residency. Where the host has no more such memory the log reports it once, and what is
    /// pinned by then is kept. Error{Cancelled} before a block is pinned.
    [[nodiscard]] std::shared_ptr<PinnedCopy> pinFor(HostCopyId copy,
                                                     Device& device,
                                                     const StopToken& stop);

    /// That are pinned.
    [[nodiscard]] Bytes bytes() const;

    /// Nothing of it will ever be pinned.
    [[nodiscard]] bool isEmpty() const { return slots_.empty(); }

private:
    struct PinSlot {
        size_t block = 0;
        Bytes offset = 0;
        std::shared_ptr<PinnedCopy> copy;  ///< null before the block is pinned
    };

    struct Block {
        Bytes bytes = 0;
        std::unique_ptr<Arena> memory;
    };

    [[nodiscard]] Bytes reserved() const;
    void makeSlots(Bytes most);
    [[nodiscard]] bool isPinned(Block& block, Device& device, const StopToken& stop);

    std::string deviceId_;
    std::vector<HostCopy> copies_;  ///< with and without a slot
    memory::Ledger& ledger_;
    Bytes blockBytes_;
    std::map<HostCopyId, PinSlot> slots_;
    std::vector<Block> blocks_;
    bool isRefused_ = false;  ///< the host has no more
};

/// Pinned host copies that outlive the residency that made them, so that a later residency of the
/// component copies what an earlier one read. Run thread only.
class PinnedStore {
public:
    /// Those of the last residency of `component` where they have the bytes of `wanted` and take at
    /// most `most`; else these go, and the new ones are empty. Not shared with another residency
    /// that is there: that has its own.
    [[nodiscard]] std::shared_ptr<PinnedCopies> take(
        std::shared_ptr<const memory::ComponentTree> component,
        const std::string& device,
        Bytes most,
        const std::vector<PinnedCopies::HostCopy>& wanted,
        memory::Ledger& ledger);

    /// What no residency uses.
    [[nodiscard]] std::vector<memory::PinnedComponent> idle() const;
    using IsMeant = std::function<bool(const memory::ComponentTree&, const std::string& device)>;
    /// Unpins what no residency uses of the components that `isMeant`, and returns the bytes.
    Bytes drop(const IsMeant& isMeant);

private:
    struct Kept {
        std::shared_ptr<const memory::ComponentTree> tree;
        std::string device;
        std::shared_ptr<PinnedCopies> copies;

        [[nodiscard]] bool isIdle() const { return copies.use_count() == 1; }
    };

    std::vector<Kept> kept_;
};

}  // namespace lowtide::residency
