#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_schedule.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr double kSdScalingFactor = 0.18215;

/// SD-Turbo, in the words of Stability's generative-models.
bool isTurbo(const WeightMap& file) {
    return hasUnder(file, kRefinerOpenClip);
}

/// Where OpenCLIP's encoder of SD 2.x lies.
std::string_view openClipStart(const WeightMap& file) {
    return isTurbo(file) ? kRefinerOpenClip : kLdmOpenClip;
}

/// SD 2.x by the width of its conditioning, as diffusers decides.
bool isVersion2(const WeightMap& file) {
    return readsVersion2Texts(file, kLdmUNet) || hasUnder(file, openClipStart(file));
}

std::string sdPrediction(const WeightFileHeader& file) {
    const std::optional<std::string> stated = statedPrediction(file);
    if (stated || isTurbo(file.map)) {
        return stated.value_or("epsilon");
    }
    return isVersion2(file.map) ? version2Prediction(file, kLdmUNet).value_or("v_prediction")
                                : "epsilon";
}

/// As in the files that diffusers uses for these two kinds. One that was trained down to noise
/// without signal and predicts velocity (ComfyUI's two keys) wants a sampler that begins there.
Json sdScheduler(const WeightFileHeader& file) {
    Json settings = {{"beta_start", 0.00085},
                     {"beta_end", 0.012},
                     {"beta_schedule", "scaled_linear"},
                     {"num_train_timesteps", 1000},
                     {"clip_sample", false},
                     {"set_alpha_to_one", false},
                     {"skip_prk_steps", true},
                     {"steps_offset", 1},
                     {"trained_betas", nullptr},
                     {"prediction_type", sdPrediction(file)}};
    addZeroSnr(file, settings);
    const bool isDdim = isVersion2(file.map) || settings.contains("timestep_spacing");
    settings["_class_name"] = isDdim ? "DDIMScheduler" : "PNDMScheduler";
    if (isTurbo(file.map)) {  // scheduler_config.json of its folder
        settings["_class_name"] = "EulerDiscreteScheduler";
        settings["timestep_spacing"] = "trailing";
    }
    return settings;
}

FileNetwork sdTextEncoder(const SharedHeader& file) {
    const std::string_view start = openClipStart(file->map);
    const bool isOpenClip = hasUnder(file->map, start);
    const auto weights = [file, isOpenClip, start] {
        return isOpenClip ? openClipMap(file->map, start, OpenClipUse::PenultimateLayer)
                          : textMap(file->map, kLdmText);
    };
    FileNetwork encoder = ldmTextEncoder(weights, isVersion2(file->map));
    if (!isOpenClip && !hasUnder(file->map, kLdmText)) {
        encoder.className.clear();
    }
    return encoder;
}

double detectSdLdm(const ModelSource& source) {
    return source.header && isLdmCheckpoint(source.header->map) ? 0.5 : 0;
}

std::unique_ptr<Checkpoint> openSdLdm(ModelSource source, const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    FileParts parts{.pipeline = {{"_class_name", "StableDiffusionPipeline"}},
                    .networks = {},
                    .tokenizers = {},
                    .scheduler = [file] { return sdScheduler(*file); },
                    .files = {}};
    parts.networks["unet"] = ldmUNet(file, kLdmUNet);
    parts.networks["vae"] =
        ldmAutoencoder(file, kLdmAutoencoder, {{"scaling_factor", kSdScalingFactor}});
    parts.networks["text_encoder"] = sdTextEncoder(file);
    parts.tokenizers["tokenizer"] = {.encoder = "text_encoder",
                                     .padding = isVersion2(file->map) ? "!" : "<|endoftext|>"};
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

/// Stable Diffusion 1.x and 2.x in one file of the LDM layout.
const Layout& sd_ldm() {
    static const Layout layout{.name = "sd_ldm", .detect = detectSdLdm, .open = openSdLdm};
    return layout;
}

}  // namespace lowtide::models
