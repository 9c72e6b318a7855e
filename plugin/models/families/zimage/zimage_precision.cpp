#include "plugin/models/families/zimage/zimage_precision.hpp"

#include "plugin/models/model.hpp"

namespace lowtide::models {

namespace {

memory::FamilyPrecision makeZImagePrecisions() {
    const std::string text(kTextEncoder);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const memory::ComponentPreset half{.storage = DType::BF16, .compute = DType::BF16};
    const auto presetOf = [&](const memory::ComponentPreset& ofText,
                              const memory::ComponentPreset& ofDenoiser,
                              const memory::ComponentPreset& ofAutoencoder) {
        return std::map<std::string, memory::ComponentPreset>{
            {text, ofText}, {denoiser, ofDenoiser}, {autoencoder, ofAutoencoder}};
    };
    return {.presets = {{"quality", presetOf(exact, exact, exact)},
                        {"balanced", presetOf(half, half, exact)},
                        {"speed", presetOf(half, half, half)}},
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
