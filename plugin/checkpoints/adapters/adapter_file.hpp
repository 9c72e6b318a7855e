#pragma once
// An adapter of weights (LoRA and its kin) as its file has it, with what peft states in addition;
// what other files are refused as. Torch-free; reads no weight.

#include "plugin/checkpoints/weight_file.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// A tensor that a layer's delta is made of.
struct AdapterFactor {
    std::string key;  ///< in the file
    TensorLocation location;
};

/// A delta of one weight or bias.
struct AdapterLayer {
    std::string component;  ///< "denoiser", "text_encoder", ...: as adapter_key has them
    std::string name;       ///< as the file spells it: "lora_unet_mid_block_attentions_0_proj_in"
    std::string module;     ///< the name without what names the component
    std::string kind;       ///< low_rank, hadamard, kronecker, scale or difference
    bool isBias = false;    ///< it changes the module's bias
    /// By their names: up, down, mid; w1_a, w1_b, w2_a, w2_b, t1, t2; w1, w2; on_input or
    /// on_output; difference. With dora_scale (LyCORIS) or magnitude (peft) it is a DoRA.
    std::map<std::string, AdapterFactor, std::less<>> factors;
    std::optional<int64_t> rank;  ///< of kinds that have one
    std::optional<double> alpha;  ///< of the file or its metadata
    double divisor = 1;           ///< of alpha: the rank, or its root (peft's rslora)
    std::string alphaKey{};       ///< in the file; empty: it has none
    std::string onInputKey{};     ///< of kind scale

    /// What the delta is multiplied by: alpha / rank. 1 without an alpha, and for an alpha of 0,
    /// which kohya and LyCORIS take for the rank.
    [[nodiscard]] double scale() const { return alpha && *alpha != 0 ? *alpha / divisor : 1; }
};

struct AdapterFile {
    std::string what;                       ///< for messages: the file's name in quotes
    std::vector<memory::WeightFile> files;  ///< the file; then what was read next to it
    std::vector<AdapterLayer> layers;       ///< sorted by component and module
    std::vector<std::string> unread;        ///< tensors that belong to no layer
    /// Of which its metadata speaks, though nobody knows them: their alphas are not used.
    std::vector<std::string> unknownComponents{};
};

/// Layers of a header; alphas that are tensors of the file, and what scales act on, are not read.
/// Error{Unsupported} states what a file is that is no adapter, or of a kind that is not built.
/// Error{Corrupt} names the file and what is incomplete, there twice, empty (rank 0) or contradicts
/// itself.
[[nodiscard]] AdapterFile readAdapterHeader(const WeightFileHeader& header);

/// Opens a .safetensors or torch file by its header and reads the few bytes of its alphas. peft's
/// own files have their alpha in adapter_config.json next to them. Error{Corrupt} names the key of
/// an alpha that is no finite number; and those of readAdapterHeader() and openWeightFile().
[[nodiscard]] AdapterFile openAdapterFile(const std::string& path);

}  // namespace lowtide::models
