#include "plugin/models/families/sdxl/sdxl_precision.hpp"

#include "plugin/models/families/sdxl/sdxl_components.hpp"

#include <array>

namespace lowtide::models {

namespace {

using memory::ComponentPreset;

memory::FamilyPrecision makeSdxlPrecisions(const SdxlPrecisionFacts& facts) {
    const std::string text(kTextEncoder);
    const std::string secondText(kTextEncoder2);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    const ComponentPreset asInFile{.storesAsInFile = true};
    const ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
    const ComponentPreset fastest{
        .storage = DType::F16, .compute = DType::F16, .accumulatesInHalf = !facts.sumsInF32};
    const ComponentPreset& decoding = facts.decodesInF32 ? exact : half;
    const auto presetOf = [&](const ComponentPreset& ofText,
                              const ComponentPreset& ofDenoiser,
                              const ComponentPreset& ofAutoencoder) {
        return std::map<std::string, ComponentPreset>{{text, ofText},
                                                      {secondText, ofText},
                                                      {denoiser, ofDenoiser},
                                                      {autoencoder, ofAutoencoder}};
    };
    return {
        .presets = {{"quality", presetOf(exact, asInFile, exact)},
                    {"balanced", presetOf(half, half, decoding)},
                    {"speed", presetOf(half, fastest, decoding)}},
        .keptF32 = {},
        // Norms and the ends of the network are small and sensitive; embeddings are read by row.
        .keptFromF8 = {{text, {"norm", "embedding"}},
                       {secondText, {"norm", "embedding", "text_projection"}},
                       {denoiser,
                        {"norm", "conv_in", "conv_out", "time_embedding", "add_embedding"}},
                       {autoencoder, {"norm", "conv_in", "conv_out", "quant_conv"}}},
        .mayOverflow = {autoencoder}};
}

}  // namespace

const memory::FamilyPrecision& sdxlPrecisions(const SdxlPrecisionFacts& facts) {
    static const std::array<memory::FamilyPrecision, 4> all = {
        makeSdxlPrecisions({.sumsInF32 = false, .decodesInF32 = false}),
        makeSdxlPrecisions({.sumsInF32 = false, .decodesInF32 = true}),
        makeSdxlPrecisions({.sumsInF32 = true, .decodesInF32 = false}),
        makeSdxlPrecisions({.sumsInF32 = true, .decodesInF32 = true})};
    return all[(facts.sumsInF32 ? 2U : 0U) + (facts.decodesInF32 ? 1U : 0U)];
}

}  // namespace lowtide::models
