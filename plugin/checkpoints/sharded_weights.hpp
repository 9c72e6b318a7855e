#pragma once
// Weights that lie in several files. Torch-free, headers only.

#include "plugin/checkpoints/weight_file.hpp"

#include <optional>
#include <set>
#include <string>

namespace lowtide::models {

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
/// The files of an index, which lie beside it. Errors name the index as `what`: Corrupt for what is
/// no index.
[[nodiscard]] std::set<std::string> shardsOf(const std::string& index, const std::string& what);

/// All tensors of an index's files. Errors: those of openWeightFile(); Corrupt names index, file
/// and tensor; Unsupported a quantised weight that lies apart from its scales.
[[nodiscard]] WeightFileHeader openSharded(const std::string& index, const std::string& what);
/// All tensors of the model that a shard is part of: by its index, or with the other shards beside
/// it. Error{NotFound} names those that are missing.
[[nodiscard]] WeightFileHeader openShardsOf(const std::string& path, const ShardName& name);

}  // namespace lowtide::models
