#pragma once
// Names of weights in the LDM layout (CompVis latent-diffusion), from those of diffusers and
// transformers, which our networks use. Torch-free.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace lowtide::models {

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

}  // namespace lowtide::models
