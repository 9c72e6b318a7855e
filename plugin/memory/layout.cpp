#include "plugin/memory/layout.hpp"

#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace lowtide::memory {

namespace {

constexpr GroupId kNoGroup = UINT32_MAX;
constexpr Bytes kLargeBlockPart = 8;  ///< a block beyond this part of its component is divided
constexpr const char* kSharedName = "shared";

using LeafList = std::vector<LeafId>;

/// Flags per storage: whether a leaf brings it to the device.
std::vector<bool> broughtStorages(const ComponentTree& tree) {
    std::vector<bool> isBrought(tree.storages.size(), false);
    for (const Leaf& leaf : tree.leaves) {
        for (const WeightId weight : leaf.weights) {
            const StorageId storage = tree.weights[weight].storage;
            isBrought[storage] = isBrought[storage] || !leaf.gathered;
        }
    }
    return isBrought;
}

/// Whether the weight is used on the device in the bytes of its file.
bool isUsedAsItLies(const ComponentTree& tree, const Weight& weight) {
    const Storage& storage = tree.storages[weight.storage];
    return storage.liesAs(storage.deviceType.value_or(weight.computeType));
}

/// Whether its file may be mapped, and its elements read there.
bool isMappable(const ComponentTree& tree, const Storage& storage) {
    const bool isAligned =
        storage.isKeptEncoded || storage.fileOffset % sizeOf(storage.fileType) == 0;
    return tree.files[storage.file].isLocal && isAligned;
}

/// Flags per storage: whether its bytes on the device are not those of its file.
std::vector<bool> convertedStorages(const ComponentTree& tree) {
    std::vector<bool> converted(tree.storages.size(), false);
    for (const Weight& weight : tree.weights) {
        converted[weight.storage] = !isUsedAsItLies(tree, weight);
    }
    return converted;
}

/// Of each storage, as it comes: a slot of the ring buffer holds that.
std::vector<Bytes> comingBytes(const ComponentTree& tree) {
    std::vector<Bytes> bytes = tree.bytesOfStorages();
    for (StorageId storage = 0; storage < bytes.size(); ++storage) {
        if (tree.storages[storage].uploadType) {
            bytes[storage] = uploadBytes(tree, storage);
        }
    }
    return bytes;
}

/// Makes one group of each list of leaves. A storage goes with the first group that needs it; one
/// that several groups need goes into the shared group.
class Grouping {
public:
    explicit Grouping(const ComponentTree& tree)
        : tree_(tree),
          bytes_(comingBytes(tree)),
          isConverted_(convertedStorages(tree)),
          deltaFlops_(deltaFlopsOfStorages(tree)),
          owner_(tree.storages.size(), kNoGroup) {}

    Layout group(const std::vector<LeafList>& lists) {
        const std::vector<bool> shared = sharedStorages(lists);
        if (std::find(shared.begin(), shared.end(), true) != shared.end()) {
            Group& group =
                layout_.groups.emplace_back(Group{.name = kSharedName, .isShared = true});
            for (StorageId storage = 0; storage < shared.size(); ++storage) {
                if (shared[storage]) {
                    take(group, storage);
                }
            }
        }
        for (const LeafList& leaves : lists) {
            addGroup(leaves);
        }
        assignLeaves();
        layout_.order.resize(layout_.groups.size());
        std::iota(layout_.order.begin(), layout_.order.end(), GroupId{0});  // as constructed
        return std::move(layout_);
    }

private:
    std::vector<bool> sharedStorages(const std::vector<LeafList>& lists) const {
        std::vector<bool> shared(tree_.storages.size(), false);
        std::vector<size_t> firstList(tree_.storages.size(), SIZE_MAX);
        for (size_t list = 0; list < lists.size(); ++list) {
            for (const LeafId leaf : lists[list]) {
                for (const WeightId weight : tree_.leaves[leaf].weights) {
                    const StorageId storage = tree_.weights[weight].storage;
                    const bool isElsewhere =
                        firstList[storage] != SIZE_MAX && firstList[storage] != list;
                    shared[storage] = shared[storage] || isElsewhere;
                    firstList[storage] = std::min(firstList[storage], list);
                }
            }
        }
        return shared;
    }

    void take(Group& group, StorageId storage) {
        const Bytes bytes = bytes_[storage];
        if (owner_[storage] == kNoGroup && bytes > 0) {
            group.storages.push_back(storage);
            group.offsets.push_back(group.bytes);
            group.contentBytes += bytes;
            group.convertedBytes += isConverted_[storage] ? bytes : 0;
            group.deltaFlops += deltasAtLease(tree_.storages[storage]) ? 0 : deltaFlops_[storage];
            group.bytes += alignUp(bytes, kSlotAlignment);
            owner_[storage] = static_cast<GroupId>(layout_.groups.size() - 1);
        }
    }

    void addGroup(const LeafList& leaves) {
        Group& group =
            layout_.groups.emplace_back(Group{.name = tree_.leaves[leaves.front()].name});
        for (const LeafId leaf : leaves) {
            for (const WeightId weight : tree_.leaves[leaf].weights) {
                take(group, tree_.weights[weight].storage);
            }
        }
        if (group.storages.empty()) {
            layout_.groups.pop_back();
        }
    }

    void assignLeaves() {
        layout_.leafGroups.resize(tree_.leaves.size());
        layout_.leaves.resize(tree_.leaves.size());
        for (LeafId leaf = 0; leaf < tree_.leaves.size(); ++leaf) {
            if (tree_.leaves[leaf].gathered) {
                continue;
            }
            std::vector<GroupId>& groups = layout_.leafGroups[leaf];
            LeafFacts& facts = layout_.leaves[leaf];
            for (const WeightId weight : tree_.leaves[leaf].ownWeights()) {
                facts.compute = tree_.weights[weight].computeType;
            }
            for (const WeightId weight : tree_.leaves[leaf].weights) {
                const StorageId storage = tree_.weights[weight].storage;
                facts.bytes += bytes_[storage];
                facts.deltaFlops +=
                    deltasAtLease(tree_.storages[storage]) ? deltaFlops_[storage] : 0;
                const GroupId group = owner_[storage];
                if (group != kNoGroup &&
                    std::find(groups.begin(), groups.end(), group) == groups.end()) {
                    groups.push_back(group);
                }
            }
        }
    }

    const ComponentTree& tree_;
    const std::vector<Bytes> bytes_;  ///< of each storage as it comes
    const std::vector<bool> isConverted_;
    const std::vector<double> deltaFlops_;  ///< of each storage
    std::vector<GroupId> owner_;
    Layout layout_;
};

/// The runs of leaves that count as blocks, in the tree's order.
std::vector<LeafList> blockLists(const ComponentTree& tree) {
    const auto isLarge = [&,
                          bytes = tree.bytesOfStorages(),
                          limit = tree.deviceBytes() / kLargeBlockPart](const Block& block) {
        std::set<StorageId> storages;
        for (LeafId leaf = block.firstLeaf; leaf < block.firstLeaf + block.leafCount; ++leaf) {
            for (const WeightId weight : tree.leaves[leaf].weights) {
                if (!tree.leaves[leaf].gathered) {
                    storages.insert(tree.weights[weight].storage);
                }
            }
        }
        return std::accumulate(
                   storages.begin(), storages.end(), Bytes{0}, [&](Bytes sum, StorageId storage) {
                       return sum + bytes[storage];
                   }) > limit;
    };
    const auto hasInner = [&](const Block& outer) {
        return std::any_of(tree.blocks.begin(), tree.blocks.end(), [&](const Block& inner) {
            return inner.depth == outer.depth + 1 && inner.firstLeaf >= outer.firstLeaf &&
                   inner.firstLeaf < outer.firstLeaf + outer.leafCount;
        });
    };
    constexpr size_t kNoBlock = SIZE_MAX;
    std::vector<size_t> blockOf(tree.leaves.size(), kNoBlock);
    std::vector<bool> isDivided(tree.leaves.size(), true);
    std::vector<size_t> byDepth(tree.blocks.size());
    std::iota(byDepth.begin(), byDepth.end(), size_t{0});
    std::stable_sort(byDepth.begin(), byDepth.end(), [&](size_t a, size_t b) {
        return tree.blocks[a].depth < tree.blocks[b].depth;
    });
    for (const size_t index : byDepth) {
        const Block& block = tree.blocks[index];
        const bool divides = isLarge(block) && hasInner(block);
        for (LeafId leaf = block.firstLeaf; leaf < block.firstLeaf + block.leafCount; ++leaf) {
            if (isDivided[leaf]) {
                blockOf[leaf] = index;
                isDivided[leaf] = divides;
            }
        }
    }
    std::vector<LeafList> lists;
    for (LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (tree.leaves[leaf].gathered) {
            continue;
        }
        const bool goesOn = !lists.empty() && blockOf[lists.back().back()] == blockOf[leaf];
        if (!goesOn) {
            lists.emplace_back();
        }
        lists.back().push_back(leaf);
    }
    return lists;
}

Bytes ringBufferBytesFor(const Layout& layout, Bytes space, double ringBufferFloors) {
    const Bytes floor = ringBufferFloor(layout);
    Bytes streaming = 0;
    for (const Group& group : layout.groups) {
        streaming += group.isResident ? 0 : group.bytes;
    }
    const auto wanted = static_cast<Bytes>(static_cast<double>(floor) * ringBufferFloors);
    const Bytes most = std::min({wanted, streaming, space});
    return std::max(floor, most / kSlotAlignment * kSlotAlignment);
}

}  // namespace

const std::vector<GroupId>& Layout::orderOf(uint32_t pattern) const {
    const auto found = otherOrders.find(pattern);
    return found == otherOrders.end() ? order : found->second;
}

std::vector<GroupId> Layout::streamingOrder() const {
    std::vector<GroupId> streaming;
    std::vector<bool> isKnown(groups.size(), false);
    const auto add = [&](GroupId group) {
        if (!groups[group].isResident && !isKnown[group]) {
            isKnown[group] = true;
            streaming.push_back(group);
        }
    };
    std::for_each(order.begin(), order.end(), add);
    for (GroupId group = 0; group < groups.size(); ++group) {
        add(group);
    }
    return streaming;
}

std::vector<bool> Layout::pinnedWithin(Bytes most) const {
    std::vector<bool> isPinned(groups.size(), false);
    if (most == 0) {
        return isPinned;
    }
    Bytes taken = 0;
    for (const GroupId group : streamingOrder()) {
        isPinned[group] = taken + groups[group].bytes <= most;
        taken += isPinned[group] ? groups[group].bytes : 0;
    }
    return isPinned;
}

Bytes Layout::streamedBytes(uint32_t pattern) const {
    Bytes bytes = 0;
    for (const GroupId group : orderOf(pattern)) {
        bytes += groups[group].isResident ? 0 : groups[group].contentBytes;
    }
    return bytes;
}

bool isUsedInPlace(const ComponentTree& tree, StorageId storage, const DeviceTraits& traits) {
    return traits.usesWeightsInPlace && isMappable(tree, tree.storages[storage]) &&
           std::all_of(tree.weights.begin(), tree.weights.end(), [&](const Weight& weight) {
               return weight.storage != storage || isUsedAsItLies(tree, weight);
           });
}

bool isUsedInPlace(const ComponentTree& tree, const DeviceTraits& traits) {
    if (!traits.usesWeightsInPlace || !tree.deltas.empty()) {
        return false;
    }
    const std::vector<bool> isBrought = broughtStorages(tree);
    for (StorageId storage = 0; storage < tree.storages.size(); ++storage) {
        if (isBrought[storage] && !isMappable(tree, tree.storages[storage])) {
            return false;
        }
    }
    return std::all_of(tree.weights.begin(), tree.weights.end(), [&](const Weight& weight) {
        return !isBrought[weight.storage] || isUsedAsItLies(tree, weight);
    });
}

Layout groupByLeaf(const ComponentTree& tree) {
    std::vector<LeafList> lists;
    for (LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (!tree.leaves[leaf].gathered) {
            lists.push_back({leaf});
        }
    }
    return Grouping(tree).group(lists);
}

Layout groupByBlock(const ComponentTree& tree, int blocksPerGroup) {
    const std::vector<LeafList> blocks = blockLists(tree);
    std::vector<LeafList> lists;
    for (size_t i = 0; i < blocks.size(); ++i) {
        if (i % static_cast<size_t>(blocksPerGroup) == 0) {
            lists.emplace_back();
        }
        lists.back().insert(lists.back().end(), blocks[i].begin(), blocks[i].end());
    }
    return Grouping(tree).group(lists);
}

void makeAllResident(Layout& layout) {
    layout.residentBytes = 0;
    layout.ringBufferBytes = 0;
    for (Group& group : layout.groups) {
        group.isResident = true;
        group.residentOffset = layout.residentBytes;
        layout.residentBytes += group.bytes;
    }
}

void layOutGroups(Layout& layout,
                  const std::vector<bool>& resident,
                  Bytes space,
                  double ringBufferFloors) {
    layout.residentBytes = 0;
    for (GroupId id = 0; id < layout.groups.size(); ++id) {
        Group& group = layout.groups[id];
        group.isResident = resident[id] || group.isShared;
        if (group.isResident) {
            group.residentOffset = layout.residentBytes;
            layout.residentBytes += group.bytes;
        }
    }
    layout.ringBufferBytes =
        ringBufferBytesFor(layout, space - layout.residentBytes, ringBufferFloors);
}

Bytes ringBufferFloor(const Layout& layout) {
    std::vector<GroupId> streamed;
    Bytes floor = 0;
    for (GroupId group = 0; group < layout.groups.size(); ++group) {
        floor = std::max(floor, layout.groups[group].isResident ? 0 : layout.groups[group].bytes);
    }
    for (const GroupId group : layout.order) {
        if (!layout.groups[group].isResident) {
            streamed.push_back(group);
        }
    }
    for (size_t i = 0; layout.prefetches && i < streamed.size(); ++i) {
        const GroupId next = streamed[(i + 1) % streamed.size()];
        if (next != streamed[i]) {
            floor = std::max(floor, layout.groups[streamed[i]].bytes + layout.groups[next].bytes);
        }
    }
    return floor;
}

}  // namespace lowtide::memory
