#include "plugin/checkpoints/diffusers_parts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/nn/model.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr const char* kUNetFolder = "unet";
constexpr const char* kAutoencoderFolder = "vae";

/// What is wrong with a component is said of the parameter that names its file.
template <class Open>
auto openBlamed(const Checkpoint& checkpoint, const char* component, const Open& open) {
    try {
        return open(checkpoint.nameOf(component) + "/" + component + "/config.json");
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), checkpoint.itemOf(component));
    }
}

std::string hintOn(const std::string& item) {
    return item == kUNetFolder          ? "choose another denoiser"
           : item == kAutoencoderFolder ? "choose another autoencoder"
           : item == "text_encoder"     ? "connect another one by Load text encoder"
           : item == "autoencoder"      ? "connect another one by Load autoencoder"
           : item == "image_encoder"    ? "connect another one by Load image encoder"
                                        : "choose another checkpoint";
}

/// The parameter or node that gives what the checkpoint lacks.
std::string hintOnMissing(const std::string& component, const std::string& item) {
    return item == "text_encoder"  ? "connect one by Load text encoder"
           : item == "autoencoder" ? "connect one by Load autoencoder"
           : component == kAutoencoderFolder
               ? "choose a file of one in Load checkpoint, as its autoencoder (vae)"
               : hintOn(item);
}

/// "the denoiser", of which file where a person chose another.
std::string namedPart(const Checkpoint& checkpoint, const char* component, const char* what) {
    const std::string& owner = checkpoint.nameOf(component);
    return what + (owner == checkpoint.name() ? "" : " of " + owner);
}

/// Of a denoiser that fills masks: the latent, a mask and the masked picture.
int64_t channelsWithMask(int64_t latentChannels) {
    return latentChannels + 1 + latentChannels;
}

}  // namespace

void refuseComponent(const Checkpoint& checkpoint, const char* component, const Message& problem) {
    const std::string item = checkpoint.itemOf(component);
    throw Error(ErrorKind::Unsupported,
                message("checkpoint {}: {}", checkpoint.name(), problem),
                hintOn(item),
                item);
}

void requireComponent(const Checkpoint& checkpoint,
                      std::string_view family,
                      const char* component,
                      std::initializer_list<std::string_view> classes) {
    const std::string seen = checkpoint.componentClass(component);
    if (std::find(classes.begin(), classes.end(), seen) != classes.end()) {
        return;
    }
    const std::string needed = std::string(family) + " needs a " + std::string(*classes.begin());
    if (!seen.empty()) {
        refuseComponent(
            checkpoint, component, std::string(component) + " is a " + seen + ", " + needed);
    }
    const std::string item = checkpoint.itemOf(component);
    throw MissingComponent(
        Error(ErrorKind::Unsupported,
              "checkpoint " + checkpoint.name() + ": " + component + " is missing, " + needed,
              hintOnMissing(component, item),
              item),
        component);
}

void requireTokenizer(const Checkpoint& checkpoint,
                      std::string_view encoder,
                      const std::string& tokenizer,
                      const std::string& files) {
    const auto has = [&](const char* file) { return checkpoint.has(tokenizer + "/" + file); };
    if (has("tokenizer.json") || has("spiece.model") || (has("vocab.json") && has("merges.txt"))) {
        return;
    }
    throw Error(ErrorKind::NotFound,
                checkpoint.nameOf(encoder) + " has no tokenizer, inside or beside it",
                "put " + files + " into its folder, or into " + tokenizer + "/ there",
                checkpoint.itemOf(encoder));
}

UNet2DCondition openUNet(Checkpoint& checkpoint) {
    return openBlamed(checkpoint, kUNetFolder, [&](const std::string& what) -> UNet2DCondition {
        const UNet2DConfig config = readUNet2DConfig(checkpoint.readJson("unet/config.json"), what);
        return {config, checkpoint.weights(kUNetFolder, kDiffusersStem), kDenoiser};
    });
}

AutoencoderKL openAutoencoder(Checkpoint& checkpoint) {
    return openBlamed(
        checkpoint, kAutoencoderFolder, [&](const std::string& what) -> AutoencoderKL {
            const AutoencoderConfig config =
                readAutoencoderConfig(checkpoint.readJson("vae/config.json"), what);
            return {config, checkpoint.weights(kAutoencoderFolder, kDiffusersStem), kAutoencoder};
        });
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
    const std::string ofDenoiser = checkpoint.itemOf(kUNetFolder);
    const std::string item =
        ofDenoiser == kUNetFolder ? ofDenoiser : checkpoint.itemOf(kAutoencoderFolder);
    if (taken == 2 * latent && denoiser.outChannels == latent) {
        throw Error(ErrorKind::Unsupported,
                    "checkpoint " + checkpoint.name() + ": " +
                        namedPart(checkpoint, kUNetFolder, "the denoiser") + " takes " +
                        std::to_string(taken) +
                        " channels, the latents and a picture, as InstructPix2Pix does, which is "
                        "not built",
                    hintOn(item),
                    item);
    }
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + checkpoint.name() + ": " +
                    namedPart(checkpoint, kUNetFolder, "the denoiser") + " takes " +
                    std::to_string(taken) + " channels and gives " +
                    std::to_string(denoiser.outChannels) + ", " +
                    namedPart(checkpoint, kAutoencoderFolder, "the autoencoder") + " has " +
                    std::to_string(latent) + "; " + std::to_string(latent) + " and " +
                    std::to_string(channelsWithMask(latent)) + " (inpainting) are built",
                hintOn(item),
                item);
}

void checkContext(const Checkpoint& checkpoint,
                  const UNet2DConfig& denoiser,
                  const std::vector<EncoderWidth>& encoders) {
    int64_t given = 0;
    std::vector<std::string> widths;
    for (const EncoderWidth& encoder : encoders) {
        given += encoder.width;
        widths.push_back(std::to_string(encoder.width) + " (" + encoder.role + ")");
    }
    if (denoiser.contextWidth() != given) {
        refuseContext(checkpoint,
                      denoiser.contextWidth(),
                      given,
                      "the text encoders give " + join(widths, " and "));
    }
}

void refuseContext(const Checkpoint& checkpoint,
                   int64_t read,
                   int64_t given,
                   const std::string& giver) {
    const std::string item = checkpoint.itemOf(kUNetFolder);
    const auto family = [](int64_t width) { return AdapterBase{.contextWidth = width}.text(); };
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + checkpoint.name() + ": " +
                    namedPart(checkpoint, kUNetFolder, "the denoiser") + " reads texts " +
                    std::to_string(read) + " wide (cross_attention_dim), " + giver,
                item == kUNetFolder ? "choose a denoiser for " + family(given) +
                                          " here, or a checkpoint for " + family(read)
                                    : hintOn(item),
                item);
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

std::optional<LatentToRgb> latentToRgbOr(Checkpoint& checkpoint,
                                         int64_t latentChannels,
                                         int64_t usualChannels,
                                         const std::function<LatentToRgb()>& usual) {
    const char* file = "vae/latent_to_rgb.json";
    if (checkpoint.has(file)) {
        return readLatentToRgb(
            checkpoint.readJson(file), checkpoint.name() + "/" + file, latentChannels);
    }
    return latentChannels == usualChannels ? std::optional(usual()) : std::nullopt;
}

}  // namespace lowtide::models
