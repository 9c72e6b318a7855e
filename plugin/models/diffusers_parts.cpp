#include "plugin/models/diffusers_parts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/model.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr const char* kDiffusersStem = "diffusion_pytorch_model";

/// Of a denoiser that fills masks: the latent, a mask and the masked picture.
int64_t channelsWithMask(int64_t latentChannels) {
    return latentChannels + 1 + latentChannels;
}

}  // namespace

void requireComponent(const Checkpoint& checkpoint,
                      std::string_view family,
                      const char* component,
                      std::initializer_list<std::string_view> classes) {
    const std::string seen = checkpoint.componentClass(component);
    if (std::find(classes.begin(), classes.end(), seen) != classes.end()) {
        return;
    }
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + checkpoint.name() + ": " + component + " is " +
                    (seen.empty() ? "missing" : "a " + seen) + ", " + std::string(family) +
                    " needs a " + std::string(*classes.begin()),
                "choose another checkpoint",
                "checkpoint");
}

UNet2DCondition openUNet(Checkpoint& checkpoint) {
    const std::string file = "unet/config.json";
    const UNet2DConfig config =
        readUNet2DConfig(checkpoint.readJson(file), checkpoint.name() + "/" + file);
    return {config, checkpoint.weights("unet", kDiffusersStem), kDenoiser};
}

AutoencoderKL openAutoencoder(Checkpoint& checkpoint) {
    const std::string file = "vae/config.json";
    const AutoencoderConfig config =
        readAutoencoderConfig(checkpoint.readJson(file), checkpoint.name() + "/" + file);
    return {config, checkpoint.weights("vae", kDiffusersStem), kAutoencoder};
}

void checkChannels(const Checkpoint& checkpoint,
                   const UNet2DConfig& denoiser,
                   const AutoencoderConfig& autoencoder) {
    const int64_t latent = autoencoder.latentChannels;
    const int64_t taken = denoiser.inChannels;
    const bool isKnown = taken == latent || taken == channelsWithMask(latent);
    if (isKnown && denoiser.outChannels == latent) {
        return;
    }
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + checkpoint.name() + ": the denoiser takes " +
                    std::to_string(taken) + " channels and gives " +
                    std::to_string(denoiser.outChannels) + ", the autoencoder has " +
                    std::to_string(latent) + "; " + std::to_string(latent) + " and " +
                    std::to_string(channelsWithMask(latent)) + " (inpainting) are built",
                "choose another checkpoint",
                "checkpoint");
}

Json readScheduler(Checkpoint& checkpoint) {
    Json config = checkpoint.readJson("scheduler/scheduler_config.json");
    if (!config.is_object()) {
        return config;
    }
    const auto clips = config.find("clip_sample");
    if (clips == config.end() || clips->is_null() || clips->is_boolean()) {
        config["clip_sample"] = false;
    }
    return config;
}

std::optional<LatentToRgb> ownLatentToRgb(Checkpoint& checkpoint, int64_t latentChannels) {
    const char* file = "vae/latent_to_rgb.json";
    if (!checkpoint.has(file)) {
        return std::nullopt;
    }
    return readLatentToRgb(
        checkpoint.readJson(file), checkpoint.name() + "/" + file, latentChannels);
}

}  // namespace lowtide::models
