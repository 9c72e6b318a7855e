#include "plugin/families/zimage/zimage_precision.hpp"

#include "plugin/checkpoints/bf16_presets.hpp"
#include "plugin/nn/model.hpp"

namespace lowtide::models {

namespace {

memory::FamilyPrecision makeZImagePrecisions() {
    const std::string text(kTextEncoder);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    return {.presets = bf16Presets({text}, {denoiser}),
            .keptF32 = {{denoiser, {"t_embedder", "norm"}}},
            // Source: diffusers 0.42.1 ZImageTransformer2DModel, _skip_layerwise_casting_patterns.
            .keptFromF8 = {{text, {"norm", "embed_tokens"}},
                           {denoiser,
                            {"norm",
                             "t_embedder",
                             "cap_embedder",
                             "all_x_embedder",
                             "all_final_layer",
                             "adaLN_modulation",
                             "pad_token"}},
                           {autoencoder, {"norm", "conv_in", "conv_out"}}}};
}

}  // namespace

const memory::FamilyPrecision& zimagePrecisions() {
    static const memory::FamilyPrecision precisions = makeZImagePrecisions();
    return precisions;
}

}  // namespace lowtide::models
