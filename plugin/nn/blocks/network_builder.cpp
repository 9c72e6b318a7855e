#include "plugin/nn/blocks/network_builder.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::models {

using memory::ComponentTree;
using memory::LeafId;
using memory::StorageId;
using memory::WeightId;

namespace {

/// A hostile config may ask for millions of layers; nobody reads more names than this.
constexpr size_t kMostProblems = 1000;

}  // namespace

struct NetworkBuilder::State {
    const WeightMap& weights;
    DType computeType;
    std::shared_ptr<ComponentTree> tree;
    std::map<std::string, StorageId, std::less<>> storages;
    std::vector<std::string> missing;
    std::vector<Message> misshapen;
    int openBlocks = 0;

    StorageId storageOf(const std::string& name, const TensorLocation& location) {
        const auto known = storages.find(name);
        if (known != storages.end()) {
            return known->second;
        }
        const auto id = static_cast<StorageId>(tree->storages.size());
        tree->storages.push_back({.key = name,
                                  .file = location.file,
                                  .fileOffset = location.offset,
                                  .fileType = location.type,
                                  .elementCount = elementCount(location.shape).value(),
                                  .mustBeFinite = weights.mustBeFinite,
                                  .encoded = location.encoded});
        storages.emplace(name, id);
        return id;
    }

    std::string nameInFile(std::string_view name) const {
        return weights.nameInFile ? weights.nameInFile(name) : std::string(name);
    }

    /// Where the map has the weight, by its name in the file, if it has it.
    std::optional<TensorLocation> find(const std::string& name, const WeightSpec& spec) const {
        const auto location = weights.tensors.find(name);
        if (location != weights.tensors.end()) {
            return location->second;
        }
        if (weights.everything && !spec.optional) {
            return TensorLocation{.type = *weights.everything, .shape = spec.shape};
        }
        return std::nullopt;
    }

    /// Error{Corrupt} with all that does not fit, if anything does not; surplus tensors alone may
    /// be reported instead.
    void throwIfUnfit(const std::vector<std::string>& surplus, Surplus way) const {
        std::vector<Message> problems;
        if (!missing.empty()) {
            problems.push_back(message("{} missing: {}", missing.size(), listSome(missing)));
        }
        if (!misshapen.empty()) {
            problems.push_back(
                message("{} of another shape or type: {}", misshapen.size(), listSome(misshapen)));
        }
        if (problems.empty() && !surplus.empty() && way == Surplus::Reported) {
            log(Level::Warning,
                weights.what + " has " + std::to_string(surplus.size()) +
                    (surplus.size() == 1 ? " tensor" : " tensors") +
                    " that the network does not have; they are left out: " +
                    listSome(surplus).str());
            return;
        }
        if (!surplus.empty()) {
            problems.push_back(message(
                "{} that the network does not have: {}", surplus.size(), listSome(surplus)));
        }
        if (!problems.empty()) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: the weights do not fit {}, tensors {}",
                                weights.what,
                                weights.settings,
                                joined(problems, "; ")),
                        weights.hint);
        }
    }

    bool accepts(const std::string& name,
                 const TensorLocation& location,
                 const Shape& shape,
                 bool isGathered) {
        if (location.shape != shape) {
            misshapen.push_back(
                message("{} is {}, needs {}", name, toText(location.shape), toText(shape)));
        } else if (!isFloating(location.type)) {
            misshapen.push_back(message(
                "{} has the type {}, needs one of floating point", name, nameOf(location.type)));
        } else if (!location.isRowMajor) {
            misshapen.push_back(message("{} is not stored row by row", name));
        } else if (location.isTransposed && (isGathered || shape.size() != 2)) {
            misshapen.push_back(
                message("{} is stored transposed, which only matrices can be", name));
        } else {
            return true;
        }
        return false;
    }
};

namespace {

bool isIgnored(const std::string& name, const std::vector<std::string>& ignored) {
    return std::any_of(ignored.begin(), ignored.end(), [&](const std::string& prefix) {
        return name.compare(0, prefix.size(), prefix) == 0;
    });
}

/// Equal content gives an equal id: class, files as they are now, every weight and its index.
std::string idOf(const ComponentTree& tree) {
    Hasher hasher;
    hasher.add(tree.role).add(tree.network);
    for (const memory::WeightFile& file : tree.files) {
        hasher.add(file.path).add(file.size).add(file.modifiedNanoseconds);
        hasher.add(static_cast<int64_t>(file.inode));
    }
    for (const memory::Leaf& leaf : tree.leaves) {
        hasher.add(leaf.name);
        for (const WeightId id : leaf.weights) {
            const memory::Weight& weight = tree.weights[id];
            hasher.add(weight.name).add(nameOf(weight.computeType)).add(toText(weight.shape));
            if (weight.isTransposed) {
                hasher.add("transposed");
            }
        }
    }
    return hasher.hexDigest();
}

}  // namespace

NetworkBuilder::NetworkBuilder(std::string role,
                               std::string network,
                               const WeightMap& weights,
                               DType computeType)
    : state_(std::make_shared<State>(State{.weights = weights,
                                           .computeType = computeType,
                                           .tree = std::make_shared<ComponentTree>(),
                                           .storages = {},
                                           .missing = {},
                                           .misshapen = {}})) {
    state_->tree->role = std::move(role);
    state_->tree->network = std::move(network);
    state_->tree->files = weights.files;
}

LeafId NetworkBuilder::leaf(const std::string& prefix,
                            const std::vector<WeightSpec>& weights,
                            bool gathered) {
    ComponentTree& tree = *state_->tree;
    memory::Leaf leaf{.name = prefix.substr(0, prefix.find_last_not_of('.') + 1),
                      .weights = {},
                      .gathered = gathered};
    for (const WeightSpec& spec : weights) {
        const std::string name = prefix + spec.name;
        const std::string nameInFile = state_->nameInFile(name);
        const std::optional<TensorLocation> location = state_->find(nameInFile, spec);
        if (!location) {
            if (!spec.optional) {
                state_->missing.push_back(nameInFile);
            }
            continue;
        }
        const StorageId storage = state_->storageOf(nameInFile, *location);
        if (state_->accepts(nameInFile, *location, spec.shape, gathered)) {
            leaf.weights.push_back(static_cast<WeightId>(tree.weights.size()));
            tree.weights.push_back({.name = name,
                                    .storage = storage,
                                    .computeType = state_->computeType,
                                    .shape = spec.shape,
                                    .isTransposed = location->isTransposed,
                                    .isMultiplied = spec.isMultiplied});
        }
    }
    tree.leaves.push_back(std::move(leaf));
    if (state_->missing.size() > kMostProblems) {
        state_->throwIfUnfit({}, Surplus::Refused);
    }
    return static_cast<LeafId>(tree.leaves.size() - 1);
}

bool NetworkBuilder::has(std::string_view name) const {
    return state_->weights.tensors.contains(state_->nameInFile(name));
}

Shape NetworkBuilder::shapeOf(std::string_view name) const {
    const auto location = state_->weights.tensors.find(state_->nameInFile(name));
    return location == state_->weights.tensors.end() ? Shape{} : location->second.shape;
}

NetworkBuilder::BlockGuard::BlockGuard(NetworkBuilder& builder, std::string name)
    : builder_(builder), index_(builder.state_->tree->blocks.size()) {
    ComponentTree& tree = *builder_.state_->tree;
    tree.blocks.push_back({.name = std::move(name),
                           .firstLeaf = static_cast<LeafId>(tree.leaves.size()),
                           .leafCount = 0,
                           .depth = builder_.state_->openBlocks++});
}

NetworkBuilder::BlockGuard::~BlockGuard() {
    ComponentTree& tree = *builder_.state_->tree;
    memory::Block& block = tree.blocks[index_];
    block.leafCount = static_cast<uint32_t>(tree.leaves.size()) - block.firstLeaf;
    --builder_.state_->openBlocks;
}

std::shared_ptr<const ComponentTree> NetworkBuilder::finish(const std::vector<std::string>& ignored,
                                                            Surplus way) {
    std::vector<std::string> surplus;
    std::vector<std::string> ignoredInFile;
    for (const std::string& name : ignored) {
        ignoredInFile.push_back(state_->nameInFile(name));
    }
    for (const auto& [name, location] : state_->weights.tensors) {
        if (!state_->storages.contains(name) && !isIgnored(name, ignoredInFile)) {
            surplus.push_back(name);
        }
    }
    state_->throwIfUnfit(surplus, way);
    state_->tree->id = idOf(*state_->tree);
    return state_->tree;
}

Bytes TensorLocation::bytes() const {
    const int64_t elements = elementCount(shape).value_or(0);
    return encoded ? elements / encoded->blockElements * encoded->blockBytes
                   : elements * sizeOf(type);
}

void TensorLocation::takeRows(size_t axis, int64_t first, int64_t count, const std::string& what) {
    shape[axis] = 1;
    const int64_t rowElements = elementCount(shape).value_or(0);
    const int64_t start = first * rowElements;
    if (encoded) {
        const int64_t block = encoded->blockElements;
        if (start % block != 0 || count * rowElements % block != 0) {
            throw Error(
                ErrorKind::Unsupported,
                message("{}: {} rows of {} numbers from row {} on are no whole blocks of {}",
                        what,
                        count,
                        rowElements,
                        first,
                        block),
                message("choose a file in another encoding"));
        }
        encoded->firstElement += start;
        offset += start / block * encoded->blockBytes;
    } else {
        offset += start * sizeOf(type);
    }
    shape[axis] = count;
}

namespace {

[[noreturn]] void refuseTensor(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", what, problem),
                message("the checkpoint is incomplete or of another kind: get it again"));
}

}  // namespace

const Shape* TensorView::find(const std::string& name) const {
    const auto location = map_.tensors.find(nameInFile_(name));
    return location == map_.tensors.end() ? nullptr : &location->second.shape;
}

const Shape& TensorView::need(const std::string& name) const {
    const Shape* shape = find(name);
    if (!shape) {
        refuseTensor(map_.what, message("there is no tensor {}", nameInFile_(name)));
    }
    return *shape;
}

int64_t TensorView::size(const std::string& name, size_t axis) const {
    const Shape& shape = need(name);
    if (axis >= shape.size() || shape[axis] < 1) {
        refuseTensor(map_.what,
                     message("the tensor {} has the shape {}, needs a size on axis {}",
                             nameInFile_(name),
                             toText(shape),
                             axis));
    }
    return shape[axis];
}

int64_t TensorView::count(const std::function<std::string(const std::string&)>& name) const {
    int64_t found = 0;
    while (has(name(std::to_string(found)))) {
        ++found;
    }
    return found;
}

}  // namespace lowtide::models
