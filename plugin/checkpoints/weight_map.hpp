#pragma once
// Finds and opens the weight files of one component, and reports whether files are still the same.
// Torch-free, headers only.

#include "plugin/base/message.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// The tensors of a component's folder ("unet") of the checkpoint folder `root`. Looked for in this
/// order: "<stem>.safetensors", "<stem>.safetensors.index.json" with its shards, the same as fp16
/// variants, then as the only variant there is; then all of that as .bin files of torch. `stem` is
/// "model" or "diffusion_pytorch_model". Errors: NotFound names the folder and what was looked for,
/// Unsupported names weights in another format or several variants, Corrupt names file and tensor.
[[nodiscard]] WeightMap openWeights(const std::string& root,
                                    const std::string& component,
                                    const std::string& stem);

/// The files that openWeights() would open, without opening them (an index of shards is read). The
/// same errors for a folder without weights.
[[nodiscard]] std::vector<memory::WeightFile> findWeights(const std::string& root,
                                                          const std::string& component,
                                                          const std::string& stem);

/// The file, or the index, with the weights of a folder that holds one network: its usual names, an
/// index alone, or the one file next to a config.json. Empty: it is no such folder.
[[nodiscard]] std::string networkFileIn(const std::string& folder);

/// What distinguishes one state of a file from another; of a path without opening it,
/// Error{NotFound}, Error{Corrupt}.
[[nodiscard]] memory::WeightFile stampOf(const files::InputFile& file);
[[nodiscard]] memory::WeightFile stampOf(const std::string& path);

/// Whether every file is still the one that was read.
[[nodiscard]] bool areUnchanged(const std::vector<memory::WeightFile>& files);
/// Error{Corrupt} that begins with `what` unless they are.
void requireUnchanged(const std::vector<memory::WeightFile>& files, const Message& what);

/// Identity of files as 64 hexadecimal digits: names, sizes, times of modification.
[[nodiscard]] std::string fingerprintOf(std::span<const memory::WeightFile> files);

}  // namespace lowtide::models
