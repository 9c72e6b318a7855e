#pragma once
// Trees that adapters change, and what their deltas cost.

#include "plugin/base/units.hpp"
#include "plugin/memory/component_tree.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::memory {

/// Whether changes of a weight are added with every lease: encoded or in eight bits it lies as it
/// is without them, because they would be rounded away.
[[nodiscard]] bool deltasAtLease(const Storage& storage);

/// Of one storage on its way to a device: more than what will lie there where it comes with every
/// value of its file, to be changed and rounded there.
[[nodiscard]] Bytes uploadBytes(const ComponentTree& tree, StorageId storage);

/// A tensor in a file of an adapter.
struct FactorLocation {
    std::string name;  ///< in the delta: "up"
    std::string key;   ///< in the file
    uint32_t file = 0;
    int64_t fileOffset = 0;
    DType type = DType::F32;
    Shape shape;
    std::optional<Encoded> encoded{};
};

/// A delta as an adapter has it.
struct AddedDelta {
    WeightId weight = 0;
    std::string kind;
    std::vector<FactorLocation> factors;
    double scale = 1;
    double strength = 1;
};

/// What an adapter makes of one tree.
struct Adapted {
    std::vector<WeightFile> files;   ///< of the factors
    std::vector<AddedDelta> deltas;  ///< in the order in which they are applied
};

/// Another tree, with another id: `tree` with more deltas behind those that it has. The factors
/// become weights of every leaf that uses what they change, so that they are leased, planned and
/// streamed with it. Changes of strength 0 are left out; without any it is `tree` itself. Types are
/// chosen for the result: `tree` is as it was opened.
[[nodiscard]] ComponentTree patched(const ComponentTree& tree, const Adapted& adapter);

/// A tensor in a file that a leaf gets behind its own weights.
struct AddedWeight {
    LeafId leaf = 0;
    FactorLocation location;  ///< its name: below the leaf
    bool isTransposed = false;
};

/// Layers that an adapter puts into a network.
struct Composition {
    std::vector<WeightFile> files;
    std::vector<AddedWeight> weights;  ///< of one leaf in the order in which the network has them
};

/// Another tree, with another id: `tree` with more weights behind the own ones of its leaves,
/// before factors of deltas, so that they are leased, planned and streamed with the leaf. Without
/// any it is `tree` itself. Before and after patched(); `tree` is as it was opened.
[[nodiscard]] ComponentTree composed(const ComponentTree& tree, const Composition& composition);

struct ComponentTree;

/// What the changes of each storage cost when they are added once, in operations: a factor as large
/// as its weight is added, smaller ones are multiplied first. Known from shapes alone, so for kinds
/// that multiply otherwise than low ranks do (Kronecker products) an estimate.
[[nodiscard]] std::vector<double> deltaFlopsOfStorages(const ComponentTree& tree);

}  // namespace lowtide::memory
