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

/// What is wrong with a component is reported for the parameter that names its file.
template <class Open>
auto openBlamed(const Checkpoint& checkpoint, const char* component, const Open& open) {
    try {
        return open(checkpoint.nameOf(component) + "/" + component + "/config.json");
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), checkpoint.itemOf(component));
    }
}

Message hintOn(const std::string& item) {
    return item == kUNetFolder          ? message("choose another denoiser")
           : item == kAutoencoderFolder ? message("choose another autoencoder")
           : item == "text_encoder"     ? message("connect another one by Load text encoder")
           : item == "autoencoder"      ? message("connect another one by Load autoencoder")
           : item == "image_encoder"    ? message("connect another one by Load image encoder")
                                        : message("choose another checkpoint");
}

/// The parameter or node that gives what the checkpoint lacks.
Message hintOnMissing(const std::string& component, const std::string& item) {
    return item == "text_encoder"  ? message("connect one by Load text encoder")
           : item == "autoencoder" ? message("connect one by Load autoencoder")
           : component == kAutoencoderFolder
               ? message("choose a file of one in Load checkpoint, as its autoencoder (vae)")
               : hintOn(item);
}

/// "the denoiser", of which file where a user chose another.
Message namedPart(const Checkpoint& checkpoint, const char* component, const Message& what) {
    const std::string& owner = checkpoint.nameOf(component);
    return owner == checkpoint.name() ? what : message("{} of {}", what, owner);
}

/// Of a denoiser that fills masks: the latent, a mask and the masked image.
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
    const std::string_view needed = *classes.begin();
    if (!seen.empty()) {
        refuseComponent(checkpoint,
                        component,
                        message("{} is a {}, {} needs a {}", component, seen, family, needed));
    }
    const std::string item = checkpoint.itemOf(component);
    throw MissingComponent(Error(ErrorKind::Unsupported,
                                 message("checkpoint {}: {} is missing, {} needs a {}",
                                         checkpoint.name(),
                                         component,
                                         family,
                                         needed),
                                 hintOnMissing(component, item),
                                 item),
                           component);
}

void requireTokenizer(const Checkpoint& checkpoint,
                      std::string_view encoder,
                      const std::string& tokenizer,
                      const Message& files) {
    const auto has = [&](const char* file) { return checkpoint.has(tokenizer + "/" + file); };
    if (has("tokenizer.json") || has("spiece.model") || has("merges.txt")) {
        return;
    }
    throw Error(ErrorKind::NotFound,
                message("{} has no tokenizer, inside or next to it", checkpoint.nameOf(encoder)),
                message("put {} into its folder, or into {}/ there", files, tokenizer),
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
                    message("checkpoint {}: {} takes {} channels, the latents and an image, as "
                            "InstructPix2Pix does, which is not built",
                            checkpoint.name(),
                            namedPart(checkpoint, kUNetFolder, message("the denoiser")),
                            taken),
                    hintOn(item),
                    item);
    }
    throw Error(ErrorKind::Unsupported,
                message("checkpoint {}: {} takes {} channels and gives {}, {} has {}; {} and {} "
                        "(inpainting) are built",
                        checkpoint.name(),
                        namedPart(checkpoint, kUNetFolder, message("the denoiser")),
                        taken,
                        denoiser.outChannels,
                        namedPart(checkpoint, kAutoencoderFolder, message("the autoencoder")),
                        latent,
                        latent,
                        channelsWithMask(latent)),
                hintOn(item),
                item);
}

void checkContext(const Checkpoint& checkpoint,
                  const UNet2DConfig& denoiser,
                  const std::vector<EncoderWidth>& encoders) {
    int64_t given = 0;
    std::vector<Message> widths;
    for (const EncoderWidth& encoder : encoders) {
        given += encoder.width;
        widths.push_back(message("{} ({})", encoder.width, encoder.role));
    }
    if (denoiser.contextWidth() != given) {
        refuseContext(checkpoint,
                      denoiser.contextWidth(),
                      given,
                      message("the text encoders give {}", joined(widths, " and ")));
    }
}

void refuseContext(const Checkpoint& checkpoint,
                   int64_t read,
                   int64_t given,
                   const Message& giver) {
    const std::string item = checkpoint.itemOf(kUNetFolder);
    const auto family = [](int64_t width) { return AdapterBase{.contextWidth = width}.text(); };
    throw Error(ErrorKind::Unsupported,
                message("checkpoint {}: {} reads texts {} wide (cross_attention_dim), {}",
                        checkpoint.name(),
                        namedPart(checkpoint, kUNetFolder, message("the denoiser")),
                        read,
                        giver),
                item == kUNetFolder
                    ? message("choose a denoiser for {} here, or a checkpoint for {}",
                              family(given),
                              family(read))
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
