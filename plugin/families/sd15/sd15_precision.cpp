#include "plugin/families/sd15/sd15_precision.hpp"

#include "plugin/nn/model.hpp"

namespace lowtide::models {

namespace {

memory::FamilyPrecision makePrecisions(bool sumsInF32) {
    const std::string text(kTextEncoder);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    const memory::ComponentPreset asInFile{.storesAsInFile = true};
    const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const memory::ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
    const memory::ComponentPreset fastest{
        .storage = DType::F16, .compute = DType::F16, .accumulatesInHalf = !sumsInF32};
    return {
        .presets = {{"quality", {{text, exact}, {denoiser, asInFile}, {autoencoder, exact}}},
                    {"balanced", {{text, half}, {denoiser, half}, {autoencoder, half}}},
                    {"speed", {{text, half}, {denoiser, fastest}, {autoencoder, half}}}},
        .keptF32 = {},
        // Norms and the ends of the network are small and sensitive; embeddings are read by row.
        .keptFromF8 = {{text, {"norm", "embedding"}},
                       {denoiser, {"norm", "conv_in", "conv_out", "time_embedding"}},
                       {autoencoder, {"norm", "conv_in", "conv_out", "quant_conv"}}},
        .mayOverflow = {autoencoder}};
}

}  // namespace

const memory::FamilyPrecision& sd15Precisions(bool sumsInF32) {
    static const memory::FamilyPrecision inHalf = makePrecisions(false);
    static const memory::FamilyPrecision inF32 = makePrecisions(true);
    return sumsInF32 ? inF32 : inHalf;
}

}  // namespace lowtide::models
