#include "plugin/families/hidream/hidream_precision.hpp"

#include "plugin/checkpoints/bf16_presets.hpp"
#include "plugin/families/hidream/hidream_components.hpp"

namespace lowtide::models {

namespace {

memory::FamilyPrecision makeHiDreamPrecisions() {
    const std::string t5(kTextEncoder3);
    const std::string language(kTextEncoder4);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    return {.presets = bf16Presets(
                {std::string(kTextEncoder), std::string(kTextEncoder2), t5, language}, {denoiser}),
            // Source of T5's: transformers 5.23 T5EncoderModel, _keep_in_fp32_modules. A gate that
            // is rounded sends tokens to other experts.
            .keptF32 = {{t5, {"wo"}}, {denoiser, {"gate", "t_embedder", "rms_norm"}}},
            .keptFromF8 = {{std::string(kTextEncoder), {"norm", "embedding", "text_projection"}},
                           {std::string(kTextEncoder2), {"norm", "embedding", "text_projection"}},
                           {t5, {"norm", "relative_attention_bias", "shared", "embed_tokens"}},
                           {language, {"norm", "embed_tokens"}},
                           {denoiser,
                            {"norm",
                             "gate",
                             "x_embedder",
                             "t_embedder",
                             "p_embedder",
                             "adaLN_modulation",
                             "final_layer"}},
                           {autoencoder, {"norm", "conv_in", "conv_out"}}}};
}

}  // namespace

const memory::FamilyPrecision& hidreamPrecisions() {
    static const memory::FamilyPrecision precisions = makeHiDreamPrecisions();
    return precisions;
}

}  // namespace lowtide::models
