#include "ui/bridge/model_family.hpp"

#include <algorithm>
#include <array>

namespace lowtide::ui {

namespace {

constexpr int64_t kVersion2Width = 1024;
constexpr int64_t kInpaintChannels = 9;
constexpr const char* kFirstConvolution = "model.diffusion_model.input_blocks.0.0.weight";

bool hasUnder(const ModelTensors& tensors, std::string_view prefix) {
    const auto found = tensors.lower_bound(prefix);
    return found != tensors.end() && found->first.starts_with(prefix);
}

/// Stable Diffusion in one file of the LDM layout, by its text encoder.
RecognisedModel recogniseLdm(const ModelTensors& tensors) {
    const Shape& shape = tensors.find(kFirstConvolution)->second.shape;
    const bool isInpaint = shape.size() > 1 && shape[1] == kInpaintChannels;
    const std::string ending = isInpaint ? " inpainting" : "";
    if (hasUnder(tensors, "conditioner.")) {
        return {.kind = ModelKind::Checkpoint, .family = "SDXL" + ending};
    }
    if (hasUnder(tensors, "cond_stage_model.model.")) {
        return {.kind = ModelKind::Checkpoint, .family = "SD 2.x" + ending, .isRunnable = true};
    }
    if (hasUnder(tensors, "cond_stage_model.transformer.")) {
        return {.kind = ModelKind::Checkpoint, .family = "SD 1.x" + ending, .isRunnable = true};
    }
    return {.kind = ModelKind::Checkpoint, .family = "denoiser without a text encoder"};
}

bool isAutoencoder(const ModelTensors& tensors) {
    return hasUnder(tensors, "first_stage_model.decoder.") ||
           (hasUnder(tensors, "encoder.conv_in.") && hasUnder(tensors, "decoder.conv_in."));
}

/// Residual blocks of Real-ESRGAN, of ESRGAN's first version and of its published files.
bool isEsrgan(const ModelTensors& tensors) {
    return hasUnder(tensors, "body.0.rdb1.") || hasUnder(tensors, "RRDB_trunk.0.RDB1.") ||
           hasUnder(tensors, "model.1.sub.0.RDB1.");
}

/// Networks that people have beside the ones that run here.
struct KnownPrefix {
    std::string_view prefix;
    ModelKind kind;
    const char* family;
};

constexpr std::array kOthers = {
    KnownPrefix{"lora_", ModelKind::Other, "LoRA"},
    KnownPrefix{"model.diffusion_model.joint_blocks.", ModelKind::Checkpoint, "SD 3"},
    KnownPrefix{"model.diffusion_model.double_blocks.", ModelKind::Checkpoint, "Flux"},
    KnownPrefix{"double_blocks.", ModelKind::Checkpoint, "Flux"},
    KnownPrefix{"control_model.", ModelKind::Other, "ControlNet"},
    KnownPrefix{"text_model.", ModelKind::Other, "text encoder"},
};

}  // namespace

RecognisedModel recognise(const ModelTensors& tensors) {
    if (tensors.contains(kFirstConvolution)) {
        return recogniseLdm(tensors);
    }
    for (const KnownPrefix& other : kOthers) {
        if (hasUnder(tensors, other.prefix)) {
            return {.kind = other.kind, .family = other.family};
        }
    }
    if (isAutoencoder(tensors)) {
        return {.kind = ModelKind::Autoencoder, .family = "autoencoder", .isRunnable = true};
    }
    if (isEsrgan(tensors)) {
        return {.kind = ModelKind::Upscaler, .family = "ESRGAN", .isRunnable = true};
    }
    return {};
}

RecognisedModel recognisePipeline(const std::string& pipelineClass, int64_t textWidth) {
    constexpr std::array<std::string_view, 4> kRunnable = {"StableDiffusionPipeline",
                                                           "StableDiffusionImg2ImgPipeline",
                                                           "StableDiffusionInpaintPipeline",
                                                           "LatentConsistencyModelPipeline"};
    const bool isRunnable =
        std::find(kRunnable.begin(), kRunnable.end(), pipelineClass) != kRunnable.end();
    if (!isRunnable) {
        return {.kind = ModelKind::Checkpoint, .family = pipelineClass};
    }
    const std::string family = textWidth == kVersion2Width ? "SD 2.x" : "SD 1.x";
    return {.kind = ModelKind::Checkpoint,
            .family = pipelineClass.find("Inpaint") == std::string::npos ? family
                                                                         : family + " inpainting",
            .isRunnable = true};
}

}  // namespace lowtide::ui
