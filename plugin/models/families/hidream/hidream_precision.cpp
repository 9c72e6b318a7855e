#include "plugin/models/families/hidream/hidream_precision.hpp"

#include "plugin/models/families/hidream/hidream_components.hpp"

namespace lowtide::models {

namespace {

memory::FamilyPrecision makeHiDreamPrecisions() {
    const std::string t5(kTextEncoder3);
    const std::string language(kTextEncoder4);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const memory::ComponentPreset half{.storage = DType::BF16, .compute = DType::BF16};
    const auto presetOf = [&](const memory::ComponentPreset& ofText,
                              const memory::ComponentPreset& ofDenoiser,
                              const memory::ComponentPreset& ofAutoencoder) {
        return std::map<std::string, memory::ComponentPreset>{{std::string(kTextEncoder), ofText},
                                                              {std::string(kTextEncoder2), ofText},
                                                              {t5, ofText},
                                                              {language, ofText},
                                                              {denoiser, ofDenoiser},
                                                              {autoencoder, ofAutoencoder}};
    };
    return {.presets = {{"quality", presetOf(exact, exact, exact)},
                        {"balanced", presetOf(half, half, exact)},
                        {"speed", presetOf(half, half, half)}},
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
