#pragma once

#include "plugin/base/units.hpp"
#include "plugin/memory/component_parts.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::memory {

struct ComponentTree;
struct DeviceTraits;

using GroupId = uint32_t;

/// Weights that move together.
struct Group {
    std::string name;  ///< of its first leaf or block
    std::vector<StorageId> storages;
    Bytes contentBytes = 0;        ///< without alignment: what a copy of the group moves
    Bytes convertedBytes = 0;      ///< of contentBytes: of another type in their file
    double deltaFlops = 0;         ///< of adapters, each time it arrives
    Bytes bytes = 0;               ///< each storage aligned to kSlotAlignment
    bool isShared = false;         ///< what several groups need: always resident
    bool isResident = false;       ///< brought once; else it streams through the ring buffer
    Bytes residentOffset = 0;      ///< resident only: among the residents
    std::vector<Bytes> offsets{};  ///< of its storages, in the group
};

/// What the time of a leaf's use depends on in addition to its work.
struct LeafFacts {
    DType compute = DType::F32;  ///< of its weights; F32 where it has none
    Bytes bytes = 0;             ///< of its weights on the device
    double deltaFlops = 0;       ///< of adapters, at each use: of weights that are held encoded
};

/// How a component lies on its device while nodes run that use it: groups that are resident, and a
/// ring buffer through which the others stream.
struct Layout {
    std::vector<Group> groups;                     ///< in the order of construction
    std::vector<std::vector<GroupId>> leafGroups;  ///< per leaf; none for a gathered leaf
    std::vector<LeafFacts> leaves;                 ///< per leaf
    std::vector<GroupId> order;                    ///< of one forward, as far as it is known
    std::map<uint32_t, std::vector<GroupId>> otherOrders{};  ///< of other access patterns than 0
    Bytes residentBytes = 0;
    Bytes ringBufferBytes = 0;  ///< 0: nothing streams
    int mostInRingBuffer = 0;   ///< groups at once; 0: as many as fit
    bool prefetches = false;    ///< copies run ahead of compute
    bool isInPlace =
        false;  ///< mapped files are read where they lie: bytes count, no arena is made

    /// What it takes on the device, resident and streaming.
    [[nodiscard]] Bytes bytes() const { return residentBytes + ringBufferBytes; }

    /// What an arena must hold.
    [[nodiscard]] Bytes arenaBytes() const { return isInPlace ? 0 : bytes(); }

    [[nodiscard]] bool isFullyResident() const { return ringBufferBytes == 0; }

    /// Of one forward of an access pattern; that of pattern 0 where it is not known.
    [[nodiscard]] const std::vector<GroupId>& orderOf(uint32_t pattern) const;
    /// The groups that stream, each once, in the order of a forward, and behind them those that it
    /// has no use for. As far as pinned memory goes it is for the first of them.
    [[nodiscard]] std::vector<GroupId> streamingOrder() const;
    /// Flags per group: those of streamingOrder() that `most` bytes of pinned memory hold.
    [[nodiscard]] std::vector<bool> pinnedWithin(Bytes most) const;
    /// Bytes that one forward of the pattern brings.
    [[nodiscard]] Bytes streamedBytes(uint32_t pattern = 0) const;
};

/// Whether one weight can be used where its file is mapped.
[[nodiscard]] bool isUsedInPlace(const ComponentTree& tree,
                                 StorageId storage,
                                 const DeviceTraits& traits);

/// Whether all weights of `tree` that come to a device can be.
[[nodiscard]] bool isUsedInPlace(const ComponentTree& tree, const DeviceTraits& traits);

/// One group per leaf, in the tree's order. Storages that several leaves share form a group
/// "shared" of their own, which is always resident; gathered leaves have none.
[[nodiscard]] Layout groupByLeaf(const ComponentTree& tree);

/// `blocksPerGroup` neighbouring blocks per group. A block larger than an eighth of the component
/// counts as the blocks inside it; neighbouring leaves outside of every block form one block of
/// their own. Shared storages as above.
[[nodiscard]] Layout groupByBlock(const ComponentTree& tree, int blocksPerGroup);

/// Makes every group resident, one behind the other.
void makeAllResident(Layout& layout);
/// Makes `resident` (one flag per group) and the shared storages resident, the rest streams. The
/// ring buffer is as large as `space` allows: at most `mostRing` and at least the floor.
void layOutGroups(Layout& layout,
                  const std::vector<bool>& resident,
                  Bytes space,
                  double ringBufferFloors);

/// Bytes that the ring buffer needs at least: two neighbours of the order when copies run ahead,
/// else the largest group.
[[nodiscard]] Bytes ringBufferFloor(const Layout& layout);

}  // namespace lowtide::memory
