#include "plugin/models/single_file/single_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/blocks/weight_map.hpp"
#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/constants_check.hpp"
#include "plugin/models/single_file/ldm_settings.hpp"
#include "plugin/models/single_file/velocity_bias.hpp"
#include "plugin/models/unchanged_weights.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace lowtide::models {

namespace {

constexpr Bytes kLargestMerges = 16 * kMiB;
constexpr const char* kMerges = "tokenizer/merges.txt";
constexpr int64_t kVersion2Width = 1024;
/// Training steps of SD 2.0 base and 2.1 base, which predict noise though they are of version 2.
constexpr const char* kBaseSteps = "875000";
constexpr int64_t kChannelsWithoutMask = 4;

/// The part of each setting's file in the diffusers layout.
constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"unet/config.json", "unet"},
    {"vae/config.json", "vae"},
    {"text_encoder/config.json", "text_encoder"},
    {"tokenizer/tokenizer_config.json", "tokenizer"},
    {"tokenizer/vocab.json", "vocabulary"},
    {"scheduler/scheduler_config.json", "scheduler"},
};

std::string partOf(const std::string& relative) {
    for (const auto& [path, part] : kSettings) {
        if (path == relative) {
            return std::string(part);
        }
    }
    return {};
}

/// "model.diffusion_model", "first_stage_model", ...: the first parts of names, for messages.
std::vector<std::string> beginnings(const WeightMap& map) {
    std::set<std::string> seen;
    for (const auto& [name, place] : map.tensors) {
        seen.insert(name.substr(0, name.find('.')));
    }
    return {seen.begin(), seen.end()};
}

}  // namespace

SingleFile::SingleFile(const std::string& path, std::string name, std::string resourcesFolder)
    : SingleFile(
          openWeightFile(path), readBeside(path), std::move(name), std::move(resourcesFolder)) {}

SingleFile::SingleFile(WeightFileHeader file,
                       BesideFile beside,
                       std::string name,
                       std::string resourcesFolder)
    : name_(std::move(name)),
      resourcesFolder_(std::move(resourcesFolder)),
      file_(std::move(file)),
      beside_(std::move(beside)) {
    file_.map.what = name_;
    refuseOtherLayouts();
}

void SingleFile::refuseOtherLayouts() const {
    if (file_.map.tensors.contains(std::string(kLdmUNet) + "input_blocks.0.0.weight")) {
        return;
    }
    const std::vector<std::string> seen = beginnings(file_.map);
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + name_ + " has no tensor " + std::string(kLdmUNet) +
                    "input_blocks.0.0.weight; its " + std::to_string(file_.map.tensors.size()) +
                    " tensors begin with " + (seen.empty() ? "nothing" : listSome(seen)),
                "choose a whole Stable Diffusion checkpoint; other networks have nodes or "
                "parameters of their own",
                "checkpoint");
}

std::string SingleFile::pipelineClass() const {
    return hasUnder(file_.map, "conditioner.") ? "StableDiffusionXLPipeline"
                                               : "StableDiffusionPipeline";
}

std::string SingleFile::componentClass(const std::string& component) const {
    const bool hasText = hasUnder(file_.map, kLdmText) || hasUnder(file_.map, kLdmOpenClip);
    if (component == "unet") {
        return "UNet2DConditionModel";
    }
    if (component == "vae" && hasUnder(file_.map, kLdmAutoencoder)) {
        return "AutoencoderKL";
    }
    if (component == "text_encoder" && hasText) {
        return "CLIPTextModel";
    }
    return component == "tokenizer" && hasText ? "CLIPTokenizer" : "";
}

bool SingleFile::has(const std::string& relative) const {
    return !partOf(relative).empty() || relative == kMerges;
}

const ClipVocabulary& SingleFile::vocabulary() {
    if (!vocabulary_) {
        const auto path = std::filesystem::path(resourcesFolder_) / "clip" / "merges.txt";
        const files::InputFile file(path.string());
        const int64_t size = shapesSay("text_encoder").at("vocab_size").get<int64_t>();
        vocabulary_ = clipVocabulary(file.readAll(kLargestMerges), size, name_);
        merges_ = stampOf(file);
    }
    return *vocabulary_;
}

std::string SingleFile::readText(const std::string& relative) {
    return relative == kMerges ? vocabulary().merges : readJson(relative).dump();
}

Json SingleFile::readJson(const std::string& relative) {
    const std::string part = partOf(relative);
    if (part.empty()) {
        throw Error(ErrorKind::NotFound,
                    "checkpoint " + name_ + " has no " + relative,
                    "choose another checkpoint",
                    "checkpoint");
    }
    if (part == "vocabulary") {
        return vocabulary().tokens;
    }
    const Json settings = settingsOf(part);
    if (part == "unet") {
        checkUNetConstants(settings, name_, beside_);
    } else if (part == "vae") {
        checkAutoencoderConstants(settings, name_, beside_);
    } else if (part == "text_encoder") {
        checkTextConstants(settings, name_, beside_);
    }
    return settings;
}

Json SingleFile::shapesSay(const std::string& component) const {
    if (component == "unet") {
        const TensorView view(file_.map, [](std::string_view name) {
            return std::string(kLdmUNet) + std::string(name);
        });
        return unetSettings(view);
    }
    if (component == "vae") {
        const WeightMap map = autoencoderMap(file_.map, kLdmAutoencoder);
        return autoencoderSettings(viewOf(map));
    }
    const WeightMap map = textWeights();
    return textEncoderSettings(viewOf(map), isVersion2());
}

Json SingleFile::settingsOf(const std::string& part) const {
    if (part == "tokenizer") {
        return withBeside(tokenizerSettings(), beside_, "tokenizer");
    }
    if (part == "scheduler") {
        return withBeside(schedulerSettings(), beside_, "scheduler");
    }
    return withBeside(shapesSay(part), beside_, part.c_str());
}

bool SingleFile::isVersion2() const {
    const auto place = file_.map.tensors.find(
        std::string(kLdmUNet) + "middle_block.1.transformer_blocks.0.attn2.to_k.weight");
    const bool isWide = place != file_.map.tensors.end() && !place->second.shape.empty() &&
                        place->second.shape.back() == kVersion2Width;
    return isWide || hasUnder(file_.map, kLdmOpenClip);
}

Json SingleFile::tokenizerSettings() const {
    const auto special = [](const char* text) {
        return Json{{"content", text}, {"normalized", true}};
    };
    const Json end = special("<|endoftext|>");
    return {{"model_max_length", shapesSay("text_encoder").at("max_position_embeddings")},
            {"bos_token", special("<|startoftext|>")},
            {"eos_token", end},
            {"unk_token", end},
            {"pad_token", isVersion2() ? "!" : "<|endoftext|>"}};
}

/// As the files say that diffusers takes for these two kinds. One that was trained down to noise
/// without signal and predicts velocity (ComfyUI's two keys) wants a sampler that begins there.
Json SingleFile::schedulerSettings() const {
    const std::string prediction = predictionType();
    const bool hasZeroSnr = file_.map.tensors.contains("ztsnr");
    const bool beginsWithoutSignal = hasZeroSnr && prediction == "v_prediction";
    const bool isDdim = isVersion2() || beginsWithoutSignal;
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

/// By what the file states, then by its kind.
std::string SingleFile::predictionType() const {
    const auto stated = file_.metadata.find("modelspec.prediction_type");
    if (stated != file_.metadata.end()) {
        return stated->second == "v" ? "v_prediction" : stated->second;
    }
    if (file_.map.tensors.contains("v_pred")) {
        return "v_prediction";
    }
    return isVersion2() && version2PredictsVelocity() ? "v_prediction" : "epsilon";
}

/// Of a file that does not say so itself.
bool SingleFile::version2PredictsVelocity() const {
    const auto steps = file_.metadata.find("global_step");
    if (steps != file_.metadata.end() && steps->second == kBaseSteps) {
        return false;
    }
    const auto input = file_.map.tensors.find(std::string(kLdmUNet) + "input_blocks.0.0.weight");
    const bool fillsMasks = input != file_.map.tensors.end() && input->second.shape.size() == 4 &&
                            input->second.shape[1] != kChannelsWithoutMask;
    return !fillsMasks && biasLooksLikeVelocity(file_.map, kLdmUNet).value_or(true);
}

WeightMap SingleFile::textWeights() const {
    return hasUnder(file_.map, kLdmOpenClip) ? openClipMap(file_.map) : textMap(file_.map);
}

WeightMap SingleFile::weights(const std::string& component, const std::string&) {
    if (component == "unet") {
        return unetMap(file_.map, unetLayout(shapesSay("unet")));
    }
    return component == "vae" ? autoencoderMap(file_.map, kLdmAutoencoder) : textWeights();
}

std::function<WeightMap()> SingleFile::laterWeights(const std::string& component,
                                                    const std::string& stem) {
    return [map = weights(component, stem)] {
        requireUnchanged(map.files, map.what);
        return map;
    };
}

std::vector<memory::WeightFile> SingleFile::files() const {
    std::vector<memory::WeightFile> all = file_.map.files;
    for (const auto& other : {beside_.stamp, merges_}) {
        if (other) {
            all.push_back(*other);
        }
    }
    return all;
}

}  // namespace lowtide::models
