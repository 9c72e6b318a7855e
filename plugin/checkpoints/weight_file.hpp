#pragma once
// Opens a file of weights by its header, whatever its format, alone or as one of several shards.
// Torch-free.

#include "plugin/nn/blocks/network_builder.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace lowtide::models {

/// All tensors of a file under its own names, and what it states in addition.
struct WeightFileHeader {
    WeightMap map;
    std::map<std::string, std::string, std::less<>> metadata;
    std::set<std::string> folded{};  ///< names of what belongs to quantised weights
};

/// Reads the header of a safetensors file, a GGUF file or of what torch.save wrote (.ckpt, .pth,
/// .pt; see files/torch_file). The content decides; the ending, what a file
/// that is none of them is refused as. Quantised weights are single
/// tensors (foldQuantised; GGUF names their types). A tensor of a GGUF file has the shape that
/// "comfy.gguf.orig_shape.<name>" states, where converters flattened it (ComfyUI-GGUF). No weight
/// is read. Errors: those of the readers; Unsupported for a checkpoint of PyTorch before 1.6. Of an
/// index of shards, or one of the shards, the whole model (sharded_weights.hpp).
[[nodiscard]] WeightFileHeader openWeightFile(const std::string& path);
/// The same of this file alone.
[[nodiscard]] WeightFileHeader openOneFile(const std::string& path);

/// One of the files of a model: "model-00002-of-00006.safetensors".
struct ShardName {
    std::string stem;    ///< "model"
    std::string ending;  ///< ".safetensors"
    int64_t number = 1;
    int64_t count = 1;

    /// The name of another of them.
    [[nodiscard]] std::string of(int64_t other) const;
};

/// By a file's name; nothing for a file that is whole.
[[nodiscard]] std::optional<ShardName> shardNameOf(const std::string& path);
/// Whether a path ends as the index of shards: ".index.json", also with a variant
/// ("model.safetensors.index.fp16.json").
[[nodiscard]] bool isShardIndex(const std::string& path);
/// The files of an index, which lie next to it. Errors name the index as `what`: Corrupt for what
/// is no index.
[[nodiscard]] std::set<std::string> shardsOf(const std::string& index, const std::string& what);

/// All tensors of an index's files. Errors: those of openWeightFile(); Corrupt names index, file
/// and tensor; Unsupported a quantised weight that lies apart from its scales.
[[nodiscard]] WeightFileHeader openSharded(const std::string& index, const std::string& what);
/// All tensors of the model that a shard is part of: by its index, or with the other shards next to
/// it. Error{NotFound} names those that are missing.
[[nodiscard]] WeightFileHeader openShardsOf(const std::string& path, const ShardName& name);

}  // namespace lowtide::models
