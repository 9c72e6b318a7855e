#include "plugin/memory/adapted_tree.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace lowtide::memory {

namespace {

/// Exactly: two numbers that print alike are two numbers.
int64_t bitsOf(double number) {
    int64_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
}

void addLocation(Hasher& hasher, const FactorLocation& location) {
    hasher.add(location.name)
        .add(location.key)
        .add(nameOf(location.type))
        .add(lowtide::toText(location.shape));
    hasher.add(int64_t{location.file}).add(location.fileOffset);
}

/// A weight of its own storage in the files behind those that the tree has; its id.
WeightId appendWeight(ComponentTree& tree, const FactorLocation& location, Weight weight) {
    weight.storage = static_cast<StorageId>(tree.storages.size());
    weight.shape = location.shape;
    tree.storages.push_back({.key = location.key,
                             .file = static_cast<uint32_t>(tree.files.size()) + location.file,
                             .fileOffset = location.fileOffset,
                             .fileType = location.type,
                             .elementCount = elementCount(location.shape).value(),
                             .mustBeFinite = true,
                             .encoded = location.encoded});
    tree.weights.push_back(std::move(weight));
    return static_cast<WeightId>(tree.weights.size() - 1);
}

/// The tree with the files of what was appended, under an id of its own.
ComponentTree closed(ComponentTree tree,
                     const std::vector<WeightFile>& files,
                     std::string network,
                     Hasher& hasher) {
    tree.files.insert(tree.files.end(), files.begin(), files.end());
    for (const WeightFile& file : files) {
        hasher.add(file.path).add(file.size).add(file.modifiedNanoseconds);
        hasher.add(static_cast<int64_t>(file.inode));
    }
    tree.plainId = std::move(network);
    tree.id = hasher.hexDigest();
    return tree;
}

/// Appends the changes of one adapter to a copy of a tree.
class Patching {
public:
    Patching(const ComponentTree& tree, const Adapted& adapter)
        : adapter_(adapter), tree_(tree), users_(tree.storages.size()) {
        hasher_.add(tree.id);
        for (LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
            for (const WeightId weight : tree.leaves[leaf].ownWeights()) {
                users_[tree.weights[weight].storage].insert(leaf);
            }
        }
    }

    ComponentTree make() {
        std::string network = tree_.networkId();
        for (const AddedDelta& delta : adapter_.deltas) {
            if (delta.strength != 0) {
                add(delta);
            }
        }
        if (!isChanged_) {
            return std::move(tree_);
        }
        return closed(std::move(tree_), adapter_.files, std::move(network), hasher_);
    }

private:
    void add(const AddedDelta& added) {
        LOWTIDE_ASSERT(added.weight < tree_.weights.size());
        isChanged_ = true;
        const std::set<LeafId>& users = users_[tree_.weights[added.weight].storage];
        WeightDelta delta{.weight = added.weight,
                          .kind = added.kind,
                          .factors = {},
                          .scale = added.scale,
                          .strength = added.strength};
        hasher_.add(int64_t{added.weight}).add(added.kind);
        hasher_.add(bitsOf(added.scale)).add(bitsOf(added.strength));
        for (const FactorLocation& factor : added.factors) {
            const WeightId id = addFactor(factor);
            delta.factors.push_back({.name = factor.name, .weight = id});
            for (const LeafId leaf : users) {
                tree_.leaves[leaf].weights.push_back(id);
                ++tree_.leaves[leaf].factorCount;
            }
        }
        tree_.deltas.push_back(std::move(delta));
    }

    WeightId addFactor(const FactorLocation& factor) {
        addLocation(hasher_, factor);
        const DType type = factor.type == DType::F64 ? DType::F32 : factor.type;
        const WeightId id =
            appendWeight(tree_, factor, {.name = factor.key, .computeType = type, .shape = {}});
        tree_.storages.back().deviceType = type;
        return id;
    }

    const Adapted& adapter_;
    ComponentTree tree_;
    std::vector<std::set<LeafId>> users_;  ///< by storage
    Hasher hasher_;
    bool isChanged_ = false;
};

}  // namespace

bool deltasAtLease(const Storage& storage) {
    const DType held = storage.deviceType.value_or(DType::F32);
    return storage.isKeptEncoded || held == DType::F8E4M3 || held == DType::F8E5M2;
}

Bytes uploadBytes(const ComponentTree& tree, StorageId storage) {
    const Storage& own = tree.storages[storage];
    const Bytes held = tree.deviceBytes(storage);
    return own.uploadType ? std::max(held, own.elementCount * sizeOf(*own.uploadType)) : held;
}

ComponentTree patched(const ComponentTree& tree, const Adapted& adapter) {
    return Patching(tree, adapter).make();
}

ComponentTree composed(const ComponentTree& tree, const Composition& composition) {
    ComponentTree result = tree;
    if (composition.weights.empty()) {
        return result;
    }
    Hasher hasher;
    hasher.add(tree.id).add("composed");
    for (const AddedWeight& added : composition.weights) {
        LOWTIDE_ASSERT(added.leaf < tree.leaves.size() && !tree.leaves[added.leaf].gathered);
        hasher.add(int64_t{added.leaf}).add(int64_t{added.isTransposed});
        addLocation(hasher, added.location);
        Leaf& leaf = result.leaves[added.leaf];
        const WeightId id = appendWeight(result,
                                         added.location,
                                         {.name = leaf.name + "." + added.location.name,
                                          .shape = {},
                                          .isTransposed = added.isTransposed});
        leaf.weights.insert(leaf.weights.end() - leaf.factorCount, id);
        ++leaf.addedCount;
    }
    result.baseId = tree.weightsId();
    return closed(std::move(result), composition.files, tree.networkId(), hasher);
}

namespace {

constexpr double kOfAddition = 2;  ///< scaled and added
constexpr double kOfProduct = 2;   ///< multiplied and added, for each element and rank

double elementsOf(const Shape& shape) {
    return static_cast<double>(elementCount(shape).value());
}

double flopsOf(const ComponentTree& tree, const WeightDelta& delta) {
    const Shape& shape = tree.weights[delta.weight].shape;
    const double elements = elementsOf(shape);
    const double rows = shape.empty() ? 1 : static_cast<double>(std::max<int64_t>(1, shape[0]));
    double ranks = 0;
    for (const DeltaFactor& factor : delta.factors) {
        const double numbers = elementsOf(tree.weights[factor.weight].shape);
        if (numbers < elements) {
            ranks += numbers / (rows + elements / rows);
        }
    }
    return (kOfAddition + kOfProduct * ranks) * elements;
}

}  // namespace

std::vector<double> deltaFlopsOfStorages(const ComponentTree& tree) {
    std::vector<double> flops(tree.storages.size(), 0);
    for (const WeightDelta& delta : tree.deltas) {
        flops[tree.weights[delta.weight].storage] += flopsOf(tree, delta);
    }
    return flops;
}

}  // namespace lowtide::memory
