#pragma once
// The tensors of each network in one file, where they lie, and their names in the LDM layout.
// Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Parts of names: ours, and those of a file's layout.
using Renames = std::span<const std::pair<std::string_view, std::string_view>>;

/// The first place where each of `renames` stands is put in the layout's words, in their order.
[[nodiscard]] inline std::string renamed(std::string text, Renames renames) {
    for (const auto& [ours, theirs] : renames) {
        const size_t at = text.find(ours);
        if (at != text.npos) {
            text.replace(at, ours.size(), theirs);
        }
    }
    return text;
}

// Names of weights in the LDM layout (CompVis latent-diffusion), from those of diffusers and
// transformers, which our networks use. Torch-free.

/// What the numbers in a UNet's LDM names depend on.
struct LdmUNetLayout {
    int64_t layers = 2;                   ///< resnets of each level on the way down
    std::set<int64_t> attentionUpBlocks;  ///< indices of diffusers' up blocks with attention
};

/// "down_blocks.0.resnets.0.norm1.weight" -> "input_blocks.1.0.in_layers.0.weight". Source:
/// tests/golden/reference/lib/ldm_keys.py; time_embed.cond_proj as LCM files have it.
[[nodiscard]] std::string ldmUNetName(std::string_view name, const LdmUNetLayout& layout);

/// "decoder.up_blocks.0.resnets.0.conv1.weight" -> "decoder.up.3.block.0.conv1.weight" of an
/// autoencoder with four levels.
[[nodiscard]] std::string ldmAutoencoderName(std::string_view name, int64_t levels);

/// "text_model.encoder.layers.0.layer_norm1.weight" -> "transformer.resblocks.0.ln_1.weight". The
/// parts of the fused query, key and value are "...attn.in_proj_weight[q]" and so on.
[[nodiscard]] std::string openClipName(std::string_view name);

inline constexpr std::string_view kLdmUNet = "model.diffusion_model.";
inline constexpr std::string_view kLdmAutoencoder = "first_stage_model.";
inline constexpr std::string_view kLdmText = "cond_stage_model.transformer.";
inline constexpr std::string_view kLdmOpenClip = "cond_stage_model.model.";
inline constexpr std::string_view kXlText = "conditioner.embedders.0.transformer.";
inline constexpr std::string_view kXlOpenClip = "conditioner.embedders.1.model.";
inline constexpr std::string_view kRefinerOpenClip = "conditioner.embedders.0.model.";

/// Whether a tensor's name begins with `prefix`.
[[nodiscard]] bool hasUnder(const WeightMap& file, std::string_view prefix);

/// All tensors of a file that holds one network, whose names `nameInFile` gives.
[[nodiscard]] WeightMap wholeMap(const WeightMap& file,
                                 std::function<std::string(std::string_view)> nameInFile = {});

/// The same of those tensors alone whose names begin with `prefix`, which `nameInFile` gives too.
[[nodiscard]] WeightMap mapUnder(const WeightMap& file,
                                 std::string_view prefix,
                                 std::function<std::string(std::string_view)> nameInFile);

/// Some rows of a matrix, which are a weight of their own.
struct NamedRows {
    std::string_view ending;  ///< of the name, behind the matrix's own: "[q]"
    int64_t count = 0;
};

/// The rows of matrix `name` as runs of its bytes, one behind the other: NAME and each ending.
/// Error{Unsupported} for quantised ones that cannot be cut.
void splitRows(WeightMap& map, const std::string& name, const std::vector<NamedRows>& parts);

/// Query, key and value of each matrix whose name ends in `ending` as three runs of its bytes:
/// NAME[q], NAME[k] and NAME[v].
void splitThirds(WeightMap& map, std::string_view ending);

/// The UNet under `prefix`. Averaged weights (model_ema) are left where they are, as diffusers
/// does.
[[nodiscard]] WeightMap unetMap(const WeightMap& file,
                                std::string_view prefix,
                                const LdmUNetLayout& layout);

/// An autoencoder under `prefix`, in LDM's or diffusers' names; what a trainer left next to it
/// (loss, discriminator) is no part of it. 1x1 convolutions of the attention count as matrices.
[[nodiscard]] WeightMap autoencoderMap(const WeightMap& file, std::string_view prefix);

/// CLIP's text encoder under `prefix`, with or without "text_model.".
[[nodiscard]] WeightMap textMap(const WeightMap& file, std::string_view prefix);

/// What of OpenCLIP's text encoder is used.
enum class OpenClipUse : uint8_t {
    /// As SD 2.x: without its last layer, which is trained but never run, and its projection.
    PenultimateLayer,
    WithProjection  ///< of models with two text encoders
};

/// OpenCLIP's text encoder under `prefix`: each fused query, key and value as three runs of the
/// same bytes, the projection transposed.
[[nodiscard]] WeightMap openClipMap(const WeightMap& file,
                                    std::string_view prefix,
                                    OpenClipUse use);

/// The shapes of a map that was made here, by our networks' names.
[[nodiscard]] TensorView viewOf(const WeightMap& map);

}  // namespace lowtide::models
