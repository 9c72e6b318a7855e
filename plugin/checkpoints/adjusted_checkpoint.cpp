#include "plugin/checkpoints/adjusted_checkpoint.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <span>
#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kUNetPart = "unet";
constexpr const char* kAutoencoderPart = "vae";
constexpr const char* kDenoiserSettings = "unet/config.json";
constexpr const char* kAutoencoderSettings = "vae/config.json";
constexpr const char* kScheduler = "scheduler/scheduler_config.json";
/// Settings of an autoencoder that say how latents look to the denoiser, and the last one in which
/// precision to decode them; not what the network is.
constexpr const char* kLatentSettings[] = {
    "scaling_factor", "shift_factor", "latents_mean", "latents_std", "force_upcast"};
constexpr size_t kLooks = 4;
/// Of a denoiser whose time has numbers added: the share of each, which no shape tells.
constexpr const char* kNumberWidth[] = {"addition_time_embed_dim"};
constexpr int64_t kPublishedNumberWidth = 256;  ///< of SDXL, where the checkpoint has none
constexpr const char* kAddedWidth = "projection_class_embeddings_input_dim";
constexpr const char* kStatedLevels = "block_out_channels";
constexpr const char* kTextWidth = "cross_attention_dim";

/// Those settings of a checkpoint's component that are not stated. It may be missing or damaged:
/// then nothing is known of them.
void fillFrom(Checkpoint& checkpoint,
              const char* relative,
              std::span<const char* const> keys,
              Json& settings) {
    try {
        const Json own = checkpoint.readJson(relative);
        for (const char* key : keys) {
            if (own.contains(key) && !settings.contains(key)) {
                settings[key] = own.at(key);
            }
        }
    } catch (const Error& error) {
        log(Level::Warning, error.message() + ": settings are taken as those of the file");
    }
}

}  // namespace

AdjustedCheckpoint::AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                                       CheckpointParts parts,
                                       std::string prediction)
    : PartedCheckpoint(std::move(checkpoint), std::move(parts)),
      prediction_(std::move(prediction)) {}

Checkpoint* AdjustedCheckpoint::otherWhole() const {
    Checkpoint& owner = ownerOf(kUNetPart);
    return &owner == &whole() || owner.pipelineClass().empty() ? nullptr : &owner;
}

void AdjustedCheckpoint::addNoise(Json& scheduler) const {
    Checkpoint& owner = ownerOf(kUNetPart);
    if (&owner != &whole() && owner.has(kScheduler)) {
        const Json stated = owner.readJson(kScheduler);
        const bool isWhole = otherWhole() != nullptr || !stated.is_object();
        const bool isPndm = scheduler.value("_class_name", Json()) == "PNDMScheduler";
        if (isWhole) {
            scheduler = stated;
        } else {
            scheduler.update(stated);
        }
        if (!isWhole && isPndm && stated.contains("rescale_betas_zero_snr")) {
            scheduler["_class_name"] = "DDIMScheduler";  // PNDM knows no such noise
        }
    }
    if (!prediction_.empty() && scheduler.is_object()) {
        scheduler["prediction_type"] = prediction_;
    }
}

void AdjustedCheckpoint::addLatents(Json& autoencoder) const {
    const std::span<const char* const> all(kLatentSettings);
    if (isParted(kAutoencoderPart)) {
        fillFrom(whole(), kAutoencoderSettings, all, autoencoder);
    }
    if (Checkpoint* whole = otherWhole()) {
        for (const char* key : all.first(kLooks)) {
            autoencoder.erase(key);
        }
        fillFrom(*whole, kAutoencoderSettings, all.first(kLooks), autoencoder);
    }
}

void AdjustedCheckpoint::addSizes(Json& denoiser) const {
    if (!denoiser.contains(kStatedLevels)) {
        Json own = whole().readJson(kDenoiserSettings);
        const int64_t width =
            readUNet2DConfig(own, whole().name() + "/" + kDenoiserSettings).contextWidth();
        const JsonReader stated(denoiser, nameOf(kUNetPart) + "/" + kDenoiserSettings);
        const auto read = stated.integers(kTextWidth).value_or(std::vector<int64_t>{});
        if (!read.empty() && read.front() != width) {
            refuseContext(
                *this, read.front(), width, "the checkpoint's own " + std::to_string(width));
        }
        own.update(denoiser);
        denoiser = std::move(own);
    } else if (denoiser.contains(kAddedWidth)) {
        fillFrom(whole(), kDenoiserSettings, kNumberWidth, denoiser);
        if (denoiser.value(kNumberWidth[0], Json()).is_null()) {
            denoiser[kNumberWidth[0]] = kPublishedNumberWidth;
        }
    }
}

Json AdjustedCheckpoint::readJson(const std::string& relative) {
    Json json = PartedCheckpoint::readJson(relative);
    if (!json.is_object()) {
        return json;
    }
    if (relative == kScheduler) {
        addNoise(json);
    } else if (relative == kAutoencoderSettings) {
        addLatents(json);
    } else if (relative == kDenoiserSettings && isParted(kUNetPart)) {
        addSizes(json);
    }
    return json;
}

}  // namespace lowtide::models
