#pragma once
// The tensors of each network in one file of the LDM layout, where they lie. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/single_file/ldm_names.hpp"
#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/nn/blocks/tensor_view.hpp"

#include <functional>
#include <string>

namespace lowtide::models {

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

/// Query, key and value of each matrix whose name ends in `ending` as three runs of its bytes:
/// NAME[q], NAME[k] and NAME[v].
void splitThirds(WeightMap& map, std::string_view ending);

/// The UNet under `prefix`. Averaged weights (model_ema) are left where they are, as diffusers
/// does.
[[nodiscard]] WeightMap unetMap(const WeightMap& file,
                                std::string_view prefix,
                                const LdmUNetLayout& layout);

/// An autoencoder under `prefix`, in LDM's or diffusers' names; what a trainer left beside it
/// (loss, discriminator) is no part of it. 1x1 convolutions of the attention count as matrices.
[[nodiscard]] WeightMap autoencoderMap(const WeightMap& file, std::string_view prefix);

/// CLIP's text encoder under `prefix`, with or without "text_model.".
[[nodiscard]] WeightMap textMap(const WeightMap& file, std::string_view prefix);

/// What of OpenCLIP's text encoder is used.
enum class OpenClipUse : uint8_t {
    /// As SD 2.x: without its last layer, which is trained but never run, and its projection.
    PenultimateLayer,
    WithProjection  ///< as SDXL
};

/// OpenCLIP's text encoder under `prefix`: each fused query, key and value as three runs of the
/// same bytes, the projection transposed.
[[nodiscard]] WeightMap openClipMap(const WeightMap& file,
                                    std::string_view prefix,
                                    OpenClipUse use);

/// The shapes of a map that was made here, by our networks' names.
[[nodiscard]] TensorView viewOf(const WeightMap& map);

}  // namespace lowtide::models
