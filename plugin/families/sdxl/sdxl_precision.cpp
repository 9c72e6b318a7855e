#include "plugin/families/sdxl/sdxl_precision.hpp"

#include "plugin/nn/model.hpp"

namespace lowtide::models {

namespace {

using memory::ComponentPrecision;
using memory::ComponentPreset;
using memory::NumericTraits;
using memory::PrecisionNote;
using memory::SwitchState;

SwitchState halfSums(const ComponentPrecision& precision) {
    return precision.stateOf(memory::NumericSwitch::MatmulHalfAccumulation);
}

bool sumsInHalf(const ComponentPrecision& precision, const NumericTraits&) {
    return halfSums(precision) == SwitchState::On;
}

bool isFastWithoutHalfSums(const ComponentPrecision& precision, const NumericTraits&) {
    return precision.preset == "speed" && halfSums(precision) == SwitchState::Off;
}

bool isUpcast(const ComponentPrecision& precision, const NumericTraits& device) {
    return device.gainsFromF16 && precision.preset != "quality" && precision.compute == DType::F32;
}

bool isHalf(const ComponentPrecision& precision, const NumericTraits&) {
    return precision.compute == DType::F16;
}

std::vector<PrecisionNote> notesOf(const SdxlPrecisionFacts& facts) {
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    const Message base = message(
        "users of OneDiff found images of SDXL base softer with f16 sums, at 5 % less "
        "time (issue 752); measure this checkpoint: lowtide compare --sensitivity");
    std::vector<PrecisionNote> notes;
    if (facts.hasEdmLevels) {
        notes.push_back({denoiser,
                         sumsInHalf,
                         message("users of OneDiff found playground-v2.5 tolerant of f16 sums; "
                                 "measure this checkpoint: lowtide compare --sensitivity")});
    } else {
        notes.push_back({denoiser, sumsInHalf, base});
    }
    if (facts.sumsInF32) {
        notes.push_back(
            {denoiser,
             isFastWithoutHalfSums,
             message("sums remain in f32: the checkpoint asks for it (upcast_attention)")});
    } else if (!facts.hasEdmLevels) {
        notes.push_back({denoiser, isFastWithoutHalfSums, message("sums remain in f32: {}", base)});
    }
    if (facts.decodesInF32) {
        notes.push_back(
            {autoencoder,
             isUpcast,
             message("computes in f32: the checkpoint states that its values do not fit "
                     "f16 (force_upcast)")});
        notes.push_back({autoencoder,
                         isHalf,
                         message("the checkpoint states that its values do not fit f16 "
                                 "(force_upcast): where they do not, it computes once more in f32, "
                                 "for which the plan reserves no memory")});
    }
    return notes;
}

}  // namespace

memory::FamilyPrecision sdxlPrecisions(const SdxlPrecisionFacts& facts) {
    const std::string text(kTextEncoder);
    const std::string secondText(kTextEncoder2);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    const ComponentPreset asInFile{.storesAsInFile = true};
    const ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
    const ComponentPreset fastest{.storage = DType::F16,
                                  .compute = DType::F16,
                                  .accumulatesInHalf = facts.hasEdmLevels && !facts.sumsInF32};
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
        .mayOverflow = {autoencoder},
        .notes = notesOf(facts)};
}

}  // namespace lowtide::models
