#pragma once
// Opens one file of weights by its header, whatever its format. Torch-free.

#include "plugin/nn/blocks/network_builder.hpp"

#include <map>
#include <set>
#include <string>

namespace lowtide::models {

/// All tensors of a file under its own names, and what it says beside them.
struct WeightFileHeader {
    WeightMap map;
    std::map<std::string, std::string, std::less<>> metadata;
    std::set<std::string> folded{};  ///< names of what belongs to quantised weights
};

/// Reads the header of a safetensors file, a GGUF file or of what torch.save wrote (.ckpt, .pth,
/// .pt; see files/torch_file). The content decides; the ending, what a file
/// that is none of them is refused as. Quantised weights are single
/// tensors (foldQuantised, openGguf). No weight is read. Errors: those of the readers; Unsupported
/// for a checkpoint of PyTorch before 1.6. Of an index of shards, or one of the shards, the whole
/// model (sharded_weights.hpp).
[[nodiscard]] WeightFileHeader openWeightFile(const std::string& path);
/// The same of this file alone.
[[nodiscard]] WeightFileHeader openOneFile(const std::string& path);

}  // namespace lowtide::models
