#include "plugin/memory/changed_tree.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"

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

/// Appends the changes of one adapter to a copy of a tree.
class Patching {
public:
    Patching(const ComponentTree& tree, const Adapted& adapter)
        : adapter_(adapter),
          firstFile_(static_cast<uint32_t>(tree.files.size())),
          tree_(tree),
          users_(tree.storages.size()) {
        hasher_.add(tree.id);
        for (LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
            for (const WeightId weight : tree.leaves[leaf].ownWeights()) {
                users_[tree.weights[weight].storage].insert(leaf);
            }
        }
    }

    ComponentTree make() {
        std::string network = tree_.networkId();
        for (const AddedChange& change : adapter_.changes) {
            if (change.strength != 0) {
                add(change);
            }
        }
        if (!isChanged_) {
            return std::move(tree_);
        }
        tree_.files.insert(tree_.files.end(), adapter_.files.begin(), adapter_.files.end());
        for (const WeightFile& file : adapter_.files) {
            hasher_.add(file.path).add(file.size).add(file.modifiedNanoseconds);
            hasher_.add(static_cast<int64_t>(file.inode));
        }
        tree_.plainId = std::move(network);
        tree_.id = hasher_.hexDigest();
        return std::move(tree_);
    }

private:
    void add(const AddedChange& added) {
        LOWTIDE_ASSERT(added.weight < tree_.weights.size());
        isChanged_ = true;
        const std::set<LeafId>& users = users_[tree_.weights[added.weight].storage];
        WeightChange change{.weight = added.weight,
                            .kind = added.kind,
                            .factors = {},
                            .scale = added.scale,
                            .strength = added.strength};
        hasher_.add(int64_t{added.weight}).add(added.kind);
        hasher_.add(bitsOf(added.scale)).add(bitsOf(added.strength));
        for (const FactorPlace& factor : added.factors) {
            const WeightId id = addFactor(factor);
            change.factors.push_back({.name = factor.name, .weight = id});
            for (const LeafId leaf : users) {
                tree_.leaves[leaf].weights.push_back(id);
                ++tree_.leaves[leaf].factorCount;
            }
        }
        tree_.changes.push_back(std::move(change));
    }

    WeightId addFactor(const FactorPlace& factor) {
        hasher_.add(factor.name)
            .add(factor.key)
            .add(nameOf(factor.type))
            .add(lowtide::toText(factor.shape));
        hasher_.add(int64_t{factor.file}).add(factor.fileOffset);
        const DType type = factor.type == DType::F64 ? DType::F32 : factor.type;
        const auto storage = static_cast<StorageId>(tree_.storages.size());
        tree_.storages.push_back({.key = factor.key,
                                  .file = firstFile_ + factor.file,
                                  .fileOffset = factor.fileOffset,
                                  .fileType = factor.type,
                                  .elementCount = elementCount(factor.shape).value(),
                                  .deviceType = type});
        tree_.weights.push_back(
            {.name = factor.key, .storage = storage, .computeType = type, .shape = factor.shape});
        return static_cast<WeightId>(tree_.weights.size() - 1);
    }

    const Adapted& adapter_;
    uint32_t firstFile_;
    ComponentTree tree_;
    std::vector<std::set<LeafId>> users_;  ///< by storage
    Hasher hasher_;
    bool isChanged_ = false;
};

}  // namespace

ComponentTree patched(const ComponentTree& tree, const Adapted& adapter) {
    return Patching(tree, adapter).make();
}

}  // namespace lowtide::memory
