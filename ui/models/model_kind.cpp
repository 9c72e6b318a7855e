#include "ui/models/model_kind.hpp"

#include "plugin/base/text.hpp"

#include <algorithm>
#include <array>

namespace lowtide::ui {

namespace {

/// A node of several has their parameters with numbers: "file_2" of "load.lora_stack".
constexpr std::string_view kStack = "_stack";

struct KindWords {
    ModelKind kind;
    std::string_view name;
    std::string_view nodeType;  ///< empty: no parameter takes it
    std::string_view param;
};

constexpr std::array kKinds = {
    KindWords{ModelKind::Checkpoint, "checkpoint", "load.checkpoint", "checkpoint"},
    KindWords{ModelKind::Denoiser, "denoiser", "load.checkpoint", "unet"},
    KindWords{ModelKind::DiffusionModel, "diffusion_model", "load.diffusion_model", "file"},
    KindWords{ModelKind::DiffusionModel, "diffusion_model", "load.diffusion_model", "low_noise"},
    KindWords{ModelKind::TextEncoder, "text_encoder", "load.text_encoder", "file"},
    KindWords{ModelKind::Autoencoder, "autoencoder", "load.checkpoint", "vae"},
    KindWords{ModelKind::Autoencoder, "autoencoder", "load.autoencoder", "file"},
    KindWords{ModelKind::Upscaler, "upscaler", "load.upscaler", "upscaler"},
    KindWords{ModelKind::Lora, "lora", "load.lora", "file"},
    KindWords{ModelKind::ControlNet, "controlnet", "load.controlnet", "controlnet"},
    KindWords{ModelKind::IpAdapter, "ip_adapter", "load.ip_adapter", "adapter"},
    KindWords{ModelKind::ImageEncoder, "image_encoder", "load.image_encoder", "file"},
    KindWords{ModelKind::ImageEncoder, "image_encoder", "load.ip_adapter", "image_encoder"},
    KindWords{ModelKind::Embedding, "embedding", "", ""}};

constexpr std::array kFolders = {KindFolder{"checkpoints", ModelKind::Checkpoint, true},
                                 KindFolder{"diffusers", ModelKind::Checkpoint, true},
                                 KindFolder{"unet", ModelKind::Denoiser, true},
                                 KindFolder{"diffusion_models", ModelKind::Denoiser, true},
                                 KindFolder{"text_encoders", ModelKind::TextEncoder, true},
                                 KindFolder{"clip", ModelKind::TextEncoder, true},
                                 KindFolder{"vae", ModelKind::Autoencoder, true},
                                 KindFolder{"upscale_models", ModelKind::Upscaler, true},
                                 KindFolder{"loras", ModelKind::Lora, true},
                                 KindFolder{"controlnet", ModelKind::ControlNet, true},
                                 KindFolder{"t2i_adapter", ModelKind::ControlNet, true},
                                 KindFolder{"ipadapter", ModelKind::IpAdapter, true},
                                 KindFolder{"clip_vision", ModelKind::ImageEncoder, true},
                                 KindFolder{"embeddings", ModelKind::Embedding, true},
                                 KindFolder{"Stable-diffusion", ModelKind::Checkpoint, false},
                                 KindFolder{"VAE", ModelKind::Autoencoder, false},
                                 KindFolder{"ESRGAN", ModelKind::Upscaler, false},
                                 KindFolder{"RealESRGAN", ModelKind::Upscaler, false},
                                 KindFolder{"Lora", ModelKind::Lora, false},
                                 KindFolder{"LyCORIS", ModelKind::Lora, false},
                                 KindFolder{"ControlNet", ModelKind::ControlNet, false}};

}  // namespace

ModelKind modelKindNamed(std::string_view name) {
    const auto* found = std::find_if(
        kKinds.begin(), kKinds.end(), [&](const KindWords& words) { return words.name == name; });
    return found == kKinds.end() ? ModelKind::Other : found->kind;
}

std::optional<ModelParam> paramOf(ModelKind kind) {
    for (const KindWords& words : kKinds) {
        if (words.kind == kind && !words.nodeType.empty()) {
            return ModelParam{std::string(words.nodeType), std::string(words.param)};
        }
    }
    return std::nullopt;
}

std::optional<ModelKind> kindFor(const ModelParam& param) {
    const bool isStack = param.nodeType.ends_with(kStack);
    const std::string nodeType =
        param.nodeType.substr(0, param.nodeType.size() - (isStack ? kStack.size() : 0));
    const std::string name = isStack ? param.param.substr(0, param.param.find('_')) : param.param;
    for (const KindWords& words : kKinds) {
        if (words.nodeType == nodeType && words.param == name) {
            return words.kind;
        }
    }
    return std::nullopt;
}

bool isModelName(std::string_view path) {
    constexpr std::array kEndings = {".safetensors", ".ckpt", ".pt", ".pth", ".bin", ".gguf"};
    const std::string name = toLower(path);
    return std::any_of(
        kEndings.begin(), kEndings.end(), [&](const char* each) { return name.ends_with(each); });
}

std::span<const KindFolder> kindFolders() {
    return kFolders;
}

}  // namespace lowtide::ui
