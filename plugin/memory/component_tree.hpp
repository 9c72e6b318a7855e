#pragma once

#include "plugin/base/units.hpp"
#include "plugin/memory/component_parts.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::memory {

/// One unique run of weight bytes in a file. Tied weights share one storage.
struct Storage {
    std::string key;  ///< name in the file
    uint32_t file = 0;
    int64_t fileOffset = 0;
    DType fileType = DType::F32;  ///< what decoding gives where it is encoded
    int64_t elementCount = 0;
    std::optional<DType> deviceType{};  ///< on a device; empty: its weights' compute type
    /// In which it comes to a device, where that is not `deviceType`: it is changed there, in f32
    /// from what its file has, and rounded once.
    std::optional<DType> uploadType{};
    /// Output channels with a scale of their own, f32 behind the elements; 0: it has no scales.
    int64_t scaleCount = 0;
    bool mustBeFinite = false;  ///< of an adapter: NaN and infinity are refused where it is read
    std::optional<Encoded> encoded{};  ///< how it lies in its file, if not as an array of numbers
    /// A device holds it as its file does: its blocks, behind them its companions. Every lease
    /// decodes it.
    bool isKeptEncoded = false;

    /// Of so many elements in its file; whole blocks where it is encoded.
    [[nodiscard]] Bytes bytesOf(int64_t elements) const {
        return encoded ? elements / encoded->blockElements * encoded->blockBytes
                       : elements * sizeOf(fileType);
    }

    /// From `fileOffset` on.
    [[nodiscard]] Bytes fileBytes() const { return bytesOf(elementCount); }

    /// With what decoding needs besides.
    [[nodiscard]] Bytes readBytes() const;

    /// Whether its bytes in the file are those on a device where its elements have this type.
    [[nodiscard]] bool liesAs(DType type) const {
        return isKeptEncoded || (!encoded && scaleCount == 0 && type == fileType);
    }

    /// Where a companion begins on a device that holds it encoded; of the one behind the last, the
    /// end of all.
    [[nodiscard]] Bytes heldOffset(size_t companion) const;

    /// Of the first scale, from where the elements begin on a device.
    [[nodiscard]] Bytes scaleOffset() const;
};

/// A tensor as a network sees it: the whole of a storage, in the compute type, row-major or
/// transposed. What lies on a device in another type is brought to it with every lease.
struct Weight {
    std::string name;
    StorageId storage = 0;
    DType computeType = DType::F32;
    Shape shape;
    bool isTransposed = false;  ///< a matrix [O, I] whose storage has the rows of [I, O]
    bool isMultiplied = false;  ///< of a product or a convolution, and of nothing else
    /// A lease gives it as it is stored, in 16 bits; the product is in the compute type.
    bool isLeasedAsStored = false;
};

/// The smallest group: what one layer leases at once.
struct Leaf {
    std::string name;
    std::vector<WeightId> weights;
    bool gathered = false;     ///< rows are gathered on the host; never resident, never streamed
    uint32_t factorCount = 0;  ///< of `weights`, at their end: factors of deltas, not for networks
    uint32_t addedCount = 0;   ///< of ownWeights(), at their end: those of layers composed in

    /// Those that its network asks for, and behind them those that were composed in.
    [[nodiscard]] std::span<const WeightId> ownWeights() const {
        return std::span(weights).first(weights.size() - factorCount);
    }
};

/// A run of leaves that forms a unit: a block (depth 0) or a part of one (resnet, attention: depth
/// 1, ...).
struct Block {
    std::string name;
    LeafId firstLeaf = 0;
    uint32_t leafCount = 0;
    int depth = 0;
};

/// One network's weights, known from headers and configs alone; immutable. Leaves stand in
/// construction order, which is a hint about the order of use and never a truth.
struct ComponentTree {
    std::string id;          ///< unique per content: hash of role, files, settings and device types
    std::string sourceId{};  ///< of the tree with the types as its network asks; empty: this one
    std::string plainId{};   ///< likewise, without deltas and what was composed in; empty: none
    std::string baseId{};    ///< of the tree that layers were composed into, as its model has it
    std::string role;        ///< "text_encoder", "denoiser", "autoencoder", "upscaler"
    std::string network;     ///< class in the reference's words: "UNet2DConditionModel"
    std::vector<WeightFile> files;
    std::vector<Storage> storages;
    std::vector<Weight> weights;
    std::vector<Leaf> leaves;
    std::vector<Block> blocks;
    std::vector<WeightDelta> deltas{};  ///< in the order in which they are applied

    /// Type in which a lease gives the weight.
    [[nodiscard]] DType leasedType(const Weight& weight) const {
        return weight.isLeasedAsStored ? deviceType(weight.storage) : weight.computeType;
    }

    /// Type of one storage's elements on a device.
    [[nodiscard]] DType deviceType(StorageId storage) const;
    /// Whether its bytes on a device are not those of its file.
    [[nodiscard]] bool isConverted(StorageId storage) const;
    /// Bytes of one storage on a device, its scales included, without alignment.
    [[nodiscard]] Bytes deviceBytes(StorageId storage) const;
    /// The same of every storage: one looks through all weights, and a tree has thousands of both.
    [[nodiscard]] std::vector<Bytes> bytesOfStorages() const;
    /// Bytes of the whole component on a device: unique storages, each aligned; gathered leaves
    /// left out.
    [[nodiscard]] Bytes deviceBytes() const;
    /// Bytes of the weights in the files.
    [[nodiscard]] Bytes fileBytes() const;

    /// The changes of the storage's weight.
    [[nodiscard]] std::vector<const WeightDelta*> deltasOf(StorageId storage) const;

    /// The files that it would have without its deltas and what was composed in.
    [[nodiscard]] std::vector<WeightFile> networkFiles() const;

    /// The id under which the same weights go in any types.
    [[nodiscard]] const std::string& weightsId() const { return sourceId.empty() ? id : sourceId; }

    /// The id of the tree that its network was described with, whatever became of it.
    [[nodiscard]] const std::string& networkId() const {
        return plainId.empty() ? weightsId() : plainId;
    }
};

}  // namespace lowtide::memory
