#include "plugin/base/error.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_schedule.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/checkpoints/single_file/tensor_values.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kLabels = "label_emb.0.0.weight";
constexpr const char* kEdmMean = "edm_mean";
constexpr const char* kEdmDeviation = "edm_std";
constexpr double kXlScalingFactor = 0.13025;
constexpr double kPlaygroundScalingFactor = 0.5;
constexpr int64_t kXlChannelsWithMask = 9;
constexpr int64_t kBaseSizes = 6;     ///< original size, crop and target size, two numbers each
constexpr int64_t kRefinerSizes = 5;  ///< the aesthetic score instead of the target

bool isRefiner(const WeightMap& file) {
    return hasUnder(file, kRefinerOpenClip) && !hasUnder(file, kXlOpenClip);
}

std::string_view openClipPrefix(const WeightMap& file) {
    return isRefiner(file) ? kRefinerOpenClip : kXlOpenClip;
}

/// Playground 2.5 carries what its latents are brought to mean 0 and deviation 1 by.
/// Whether it is a checkpoint of EDM's noise, as playground-v2.5.
bool hasEdm(const WeightMap& file) {
    const bool hasMean = file.tensors.contains(kEdmMean);
    if (hasMean != file.tensors.contains(kEdmDeviation)) {
        throw Error(
            ErrorKind::Corrupt,
            message(
                "{}: it has {} but no {}; a checkpoint of EDM's noise has both, others have none",
                file.what,
                hasMean ? kEdmMean : kEdmDeviation,
                hasMean ? kEdmDeviation : kEdmMean),
            message("get the checkpoint again"));
    }
    return hasMean;
}

double detectSdxlLdm(const ModelSource& source) {
    if (!source.header || !isLdmCheckpoint(source.header->map)) {
        return 0;
    }
    const WeightMap& file = source.header->map;
    const bool hasLabels = file.tensors.contains(std::string(kLdmUNet) + kLabels);
    const bool isOther = hasUnder(file, "cond_stage_model.");
    if (!hasLabels && isRefiner(file)) {
        return 0;  // SD-Turbo: its denoiser reads the text alone
    }
    return hasUnder(file, "conditioner.") || (hasLabels && !isOther) ? 1 : 0;
}

/// A file with both encoders, the refiner's one, or none; what is half there is damaged.
void requireEncoders(const WeightMap& file) {
    const bool hasFirst = hasUnder(file, kXlText);
    const bool hasSecond = hasUnder(file, kXlOpenClip);
    if (hasFirst == hasSecond) {
        return;
    }
    const std::string missing =
        hasFirst ? std::string(kXlOpenClip) + "token_embedding.weight"
                 : std::string(kXlText) + "text_model.embeddings.token_embedding.weight";
    throw Error(ErrorKind::Unsupported,
                message("checkpoint {} has no tensor {}: SDXL has two text encoders, this file has "
                        "only the one under {}",
                        file.what,
                        missing,
                        hasFirst ? kXlText : kXlOpenClip),
                message("get the whole checkpoint again, or choose another one"),
                "checkpoint");
}

FileNetwork secondEncoder(const SharedHeader& file) {
    const std::string prefix(openClipPrefix(file->map));
    FileNetwork encoder = ldmTextEncoder(
        [file, prefix] { return openClipMap(file->map, prefix, OpenClipUse::WithProjection); },
        true);
    encoder.className = hasUnder(file->map, prefix) ? "CLIPTextModelWithProjection" : "";
    encoder.settings = [settings = std::move(encoder.settings), weights = encoder.weights] {
        constexpr const char* kWeight = "text_projection.weight";
        const WeightMap map = weights();
        const TensorView view = viewOf(map);
        Json all = settings();
        (void)view.size(kWeight, 1);  // it is a matrix
        all["projection_dim"] = view.size(kWeight, 0);
        return all;
    };
    return encoder;
}

FileNetwork firstEncoder(const SharedHeader& file) {
    FileNetwork encoder = ldmTextEncoder([file] { return textMap(file->map, kXlText); }, false);
    if (!hasUnder(file->map, kXlText)) {
        encoder.className.clear();
    }
    return encoder;
}

/// Width of the sinusoids of one size: what the pooled text leaves of the denoiser's vector.
int64_t sizeWidth(const WeightMap& file, int64_t vectorWidth, int64_t pooledWidth) {
    const int64_t sizes = isRefiner(file) ? kRefinerSizes : kBaseSizes;
    const int64_t left = vectorWidth - pooledWidth;
    if (left <= 0 || left % sizes != 0) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {}{} takes {} numbers, and {}text_projection gives {}; what is "
                            "left must be {} equal parts, it is {}",
                            file.what,
                            kLdmUNet,
                            kLabels,
                            vectorWidth,
                            openClipPrefix(file),
                            pooledWidth,
                            sizes,
                            left),
                    message("the denoiser and the text encoder are of different models: choose "
                            "another checkpoint"));
    }
    return left / sizes;
}

FileNetwork xlUNet(const SharedHeader& file, const FileNetwork& encoder) {
    FileNetwork unet = ldmUNet(file, kLdmUNet);
    unet.settings = [file, settings = std::move(unet.settings), encoder] {
        Json all = settings();
        if (!encoder.className.empty() && all.contains("projection_class_embeddings_input_dim")) {
            all["addition_time_embed_dim"] =
                sizeWidth(file->map,
                          all.at("projection_class_embeddings_input_dim").get<int64_t>(),
                          encoder.settings().at("projection_dim").get<int64_t>());
        }
        return all;
    };
    return unet;
}

std::vector<double> edmValues(const WeightMap& file, const char* name) {
    const std::optional<std::vector<double>> values = readValues(file, name);
    if (!values) {
        const TensorLocation& location = file.tensors.at(name);
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} should be a number for each latent channel, it is {} {}",
                            file.what,
                            name,
                            nameOf(location.type),
                            toText(location.shape)),
                    message("get the checkpoint again"));
    }
    return *values;
}

FileNetwork xlAutoencoder(const SharedHeader& file) {
    FileNetwork vae = ldmAutoencoder(
        file, kLdmAutoencoder, {{"scaling_factor", kXlScalingFactor}, {"force_upcast", true}});
    if (hasEdm(file->map)) {
        vae.settings = [file, settings = std::move(vae.settings)] {
            Json all = settings();
            all["scaling_factor"] = kPlaygroundScalingFactor;
            all["latents_mean"] = edmValues(file->map, kEdmMean);
            all["latents_std"] = edmValues(file->map, kEdmDeviation);
            return all;
        };
    }
    return vae;
}

/// As playground-v2.5's own scheduler_config.json.
Json edmScheduler() {
    return {{"_class_name", "EDMDPMSolverMultistepScheduler"},
            {"sigma_min", 0.002},
            {"sigma_max", 80.0},
            {"sigma_data", 0.5},
            {"num_train_timesteps", 1000},
            {"prediction_type", "epsilon"},
            {"rho", 7.0},
            {"solver_order", 2},
            {"thresholding", false},
            {"dynamic_thresholding_ratio", 0.995},
            {"sample_max_value", 1.0},
            {"algorithm_type", "dpmsolver++"},
            {"solver_type", "midpoint"},
            {"lower_order_final", true},
            {"euler_at_final", false},
            {"final_sigmas_type", "zero"}};
}

/// As the published base's scheduler_config.json; what was trained down to noise without signal
/// (ComfyUI's key) begins there.
Json xlScheduler(const WeightFileHeader& file) {
    refuseEdmVelocity(file);
    if (hasEdm(file.map)) {
        return edmScheduler();
    }
    Json settings = {{"_class_name", "EulerDiscreteScheduler"},
                     {"beta_start", 0.00085},
                     {"beta_end", 0.012},
                     {"beta_schedule", "scaled_linear"},
                     {"num_train_timesteps", 1000},
                     {"interpolation_type", "linear"},
                     {"prediction_type", statedPrediction(file).value_or("epsilon")},
                     {"timestep_spacing", "leading"},
                     {"steps_offset", 1},
                     {"use_karras_sigmas", false},
                     {"skip_prk_steps", true},
                     {"set_alpha_to_one", false},
                     {"sample_max_value", 1.0},
                     {"clip_sample", false},
                     {"trained_betas", nullptr}};
    addZeroSnr(file, settings);
    return settings;
}

/// class and settings of the pipeline, as the published folders state them.
Json xlPipeline(const WeightMap& file) {
    if (isRefiner(file)) {
        return {{"_class_name", "StableDiffusionXLImg2ImgPipeline"},
                {"force_zeros_for_empty_prompt", false},
                {"requires_aesthetics_score", true}};
    }
    const bool fillsMasks = ldmInputChannels(file, kLdmUNet) == kXlChannelsWithMask;
    return {{"_class_name",
             fillsMasks ? "StableDiffusionXLInpaintPipeline" : "StableDiffusionXLPipeline"},
            {"force_zeros_for_empty_prompt", true}};
}

std::unique_ptr<Checkpoint> openSdxlLdm(ModelSource source, const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    FileParts parts{.pipeline = xlPipeline(file->map),
                    .networks = {},
                    .tokenizers = {},
                    .scheduler = [file] { return xlScheduler(*file); },
                    .files = {}};
    const FileNetwork encoder = secondEncoder(file);
    if (!isRefiner(file->map)) {
        requireEncoders(file->map);
        parts.networks["text_encoder"] = firstEncoder(file);
        parts.tokenizers["tokenizer"] = {.encoder = "text_encoder", .padding = "<|endoftext|>"};
    }
    parts.networks["text_encoder_2"] = encoder;
    parts.tokenizers["tokenizer_2"] = {.encoder = "text_encoder_2", .padding = "!"};
    parts.networks["unet"] = xlUNet(file, encoder);
    parts.networks["vae"] = xlAutoencoder(file);
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

/// Stable Diffusion XL, its refiner and what was made of them, in one file of the LDM layout.
const Layout& sdxl_ldm() {
    static const Layout layout{.name = "sdxl_ldm", .detect = detectSdxlLdm, .open = openSdxlLdm};
    return layout;
}

}  // namespace lowtide::models
