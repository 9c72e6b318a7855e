#include "plugin/models/layouts/layout.hpp"
#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/ldm_parts.hpp"
#include "plugin/models/single_file/velocity_bias.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kVersion2Width = 1024;
/// Training steps of SD 2.0 base and 2.1 base, which predict noise though they are of version 2.
constexpr const char* kBaseSteps = "875000";
constexpr int64_t kChannelsWithoutMask = 4;
constexpr double kSdScalingFactor = 0.18215;

/// SD 2.x by the width of its conditioning, as diffusers decides.
bool isVersion2(const WeightMap& file) {
    std::string name(kLdmUNet);
    name += "middle_block.1.transformer_blocks.0.attn2.to_k.weight";
    const auto place = file.tensors.find(name);
    const bool isWide = place != file.tensors.end() && !place->second.shape.empty() &&
                        place->second.shape.back() == kVersion2Width;
    return isWide || hasUnder(file, kLdmOpenClip);
}

/// Of a file that does not say so itself.
bool version2PredictsVelocity(const WeightFileHeader& file) {
    const auto steps = file.metadata.find("global_step");
    if (steps != file.metadata.end() && steps->second == kBaseSteps) {
        return false;
    }
    const int64_t channels = ldmInputChannels(file.map);
    const bool fillsMasks = channels != 0 && channels != kChannelsWithoutMask;
    return !fillsMasks && biasLooksLikeVelocity(file.map, kLdmUNet).value_or(true);
}

std::string sdPrediction(const WeightFileHeader& file) {
    const std::optional<std::string> stated = statedPrediction(file);
    if (stated) {
        return *stated;
    }
    return isVersion2(file.map) && version2PredictsVelocity(file) ? "v_prediction" : "epsilon";
}

/// As the files say that diffusers takes for these two kinds. One that was trained down to noise
/// without signal and predicts velocity (ComfyUI's two keys) wants a sampler that begins there.
Json sdScheduler(const WeightFileHeader& file) {
    const std::string prediction = sdPrediction(file);
    const bool hasZeroSnr = file.map.tensors.contains("ztsnr");
    const bool beginsWithoutSignal = hasZeroSnr && prediction == "v_prediction";
    const bool isDdim = isVersion2(file.map) || beginsWithoutSignal;
    Json settings = {{"_class_name", isDdim ? "DDIMScheduler" : "PNDMScheduler"},
                     {"beta_start", 0.00085},
                     {"beta_end", 0.012},
                     {"beta_schedule", "scaled_linear"},
                     {"num_train_timesteps", 1000},
                     {"clip_sample", false},
                     {"set_alpha_to_one", false},
                     {"skip_prk_steps", true},
                     {"steps_offset", 1},
                     {"trained_betas", nullptr},
                     {"prediction_type", prediction}};
    if (hasZeroSnr) {
        settings["rescale_betas_zero_snr"] = true;
    }
    if (beginsWithoutSignal) {
        settings["timestep_spacing"] = "trailing";
    }
    return settings;
}

FileNetwork sdTextEncoder(const SharedHeader& file) {
    const bool isOpenClip = hasUnder(file->map, kLdmOpenClip);
    const auto weights = [file, isOpenClip] {
        return isOpenClip ? openClipMap(file->map, kLdmOpenClip, OpenClipUse::PenultimateLayer)
                          : textMap(file->map, kLdmText);
    };
    FileNetwork encoder = ldmTextEncoder(weights, isVersion2(file->map));
    if (!isOpenClip && !hasUnder(file->map, kLdmText)) {
        encoder.className.clear();
    }
    return encoder;
}

double detectSdLdm(const ModelSource& source) {
    return source.header && hasLdmUNet(source.header->map) ? 0.5 : 0;
}

std::unique_ptr<Checkpoint> openSdLdm(ModelSource source, const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    FileParts parts{.pipeline = {{"_class_name", "StableDiffusionPipeline"}},
                    .networks = {},
                    .tokenizers = {},
                    .scheduler = [file] { return sdScheduler(*file); },
                    .files = {}};
    parts.networks["unet"] = ldmUNet(file);
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
