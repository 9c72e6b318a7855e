#include "plugin/checkpoints/parted_checkpoint.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace lowtide::models {

PartedCheckpoint::PartedCheckpoint(std::unique_ptr<Checkpoint> checkpoint, CheckpointParts parts)
    : checkpoint_(std::move(checkpoint)), parts_(std::move(parts)), index_(checkpoint_->index()) {
    for (const auto& [component, part] : parts_) {
        index_[component] = part->index().value(component, Json());
    }
}

Checkpoint& PartedCheckpoint::ownerOf(std::string_view relative) const {
    const auto part = parts_.find(relative.substr(0, relative.find('/')));
    return part == parts_.end() ? *checkpoint_ : *part->second;
}

bool PartedCheckpoint::has(const std::string& relative) const {
    return ownerOf(relative).has(relative);
}

std::string PartedCheckpoint::readText(const std::string& relative) {
    return ownerOf(relative).readText(relative);
}

Json PartedCheckpoint::readJson(const std::string& relative) {
    return ownerOf(relative).readJson(relative);
}

WeightMap PartedCheckpoint::weights(const std::string& component, const std::string& stem) {
    return ownerOf(component).weights(component, stem);
}

std::function<WeightMap()> PartedCheckpoint::laterWeights(const std::string& component,
                                                          const std::string& stem) {
    return ownerOf(component).laterWeights(component, stem);
}

std::vector<memory::WeightFile> PartedCheckpoint::files() const {
    std::vector<memory::WeightFile> all = checkpoint_->files();
    std::vector<const Checkpoint*> added;
    for (const auto& [component, part] : parts_) {
        if (std::find(added.begin(), added.end(), part.get()) == added.end()) {
            const std::vector<memory::WeightFile> own = part->files();
            all.insert(all.end(), own.begin(), own.end());
            added.push_back(part.get());
        }
    }
    return all;
}

namespace {

constexpr const char* kTextItem = "text_encoder";

}  // namespace

const SplitPart& splitPart(std::string_view item) {
    const auto* found = std::find_if(std::begin(kSplitParts),
                                     std::end(kSplitParts),
                                     [&](const SplitPart& part) { return part.item == item; });
    if (found == std::end(kSplitParts)) {
        throw Error(ErrorKind::Internal, message("no part of a model is called {}", item), {});
    }
    return *found;
}

SplitCheckpoint::SplitCheckpoint(std::unique_ptr<Checkpoint> denoiser, CheckpointParts parts)
    : PartedCheckpoint(std::move(denoiser), std::move(parts)) {}

std::string SplitCheckpoint::itemOf(std::string_view component) const {
    for (const SplitPart& part : kSplitParts) {
        if (component == part.component) {
            return part.item;
        }
    }
    if (component == kSecondTransformer) {
        return kLowNoiseItem;
    }
    const bool isText = component.starts_with("text_encoder") || component.starts_with("tokenizer");
    return isText ? kTextItem : "file";
}

RenamedCheckpoint::RenamedCheckpoint(std::shared_ptr<Checkpoint> checkpoint,
                                     std::map<std::string, std::string, std::less<>> shown)
    : checkpoint_(std::move(checkpoint)), shown_(std::move(shown)), index_(checkpoint_->index()) {
    for (const auto& [here, there] : shown_) {
        index_.erase(there);
    }
    for (const auto& [here, there] : shown_) {
        index_[here] = checkpoint_->index().value(there, Json());
    }
}

std::string RenamedCheckpoint::fullPathOf(const std::string& relative) const {
    const size_t end = relative.find('/');
    const std::string behind = end == relative.npos ? std::string() : relative.substr(end);
    const auto known = shown_.find(relative.substr(0, end));
    return known == shown_.end() ? relative : known->second + behind;
}

bool RenamedCheckpoint::has(const std::string& relative) const {
    return checkpoint_->has(fullPathOf(relative));
}

std::string RenamedCheckpoint::readText(const std::string& relative) {
    return checkpoint_->readText(fullPathOf(relative));
}

Json RenamedCheckpoint::readJson(const std::string& relative) {
    return checkpoint_->readJson(fullPathOf(relative));
}

WeightMap RenamedCheckpoint::weights(const std::string& component, const std::string& stem) {
    return checkpoint_->weights(fullPathOf(component), stem);
}

std::function<WeightMap()> RenamedCheckpoint::laterWeights(const std::string& component,
                                                           const std::string& stem) {
    return checkpoint_->laterWeights(fullPathOf(component), stem);
}

namespace {

constexpr const char* kUNetPart = "unet";
constexpr const char* kAutoencoderPart = "vae";
constexpr const char* kDenoiserSettings = "unet/config.json";
constexpr const char* kAutoencoderSettings = "vae/config.json";
constexpr const char* kScheduler = "scheduler/scheduler_config.json";
/// Settings of an autoencoder that state how latents look to the denoiser, and the last one in
/// which precision to decode them; not what the network is.
constexpr const char* kLatentSettings[] = {
    "scaling_factor", "shift_factor", "latents_mean", "latents_std", "force_upcast"};
constexpr size_t kLooks = 4;
/// Of a denoiser whose time has numbers added: the part of each, which no shape determines.
constexpr const char* kNumberWidth[] = {"addition_time_embed_dim"};
constexpr int64_t kPublishedNumberWidth = 256;  ///< where the checkpoint has none
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
        log(Level::Warning, error.message().str() + ": settings are taken as those of the file");
    }
}

}  // namespace

AdjustedCheckpoint::AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                                       CheckpointParts parts,
                                       std::string prediction)
    : PartedCheckpoint(std::move(checkpoint), std::move(parts)),
      prediction_(std::move(prediction)) {}

Checkpoint* AdjustedCheckpoint::otherComplete() const {
    Checkpoint& owner = ownerOf(kUNetPart);
    return &owner == &whole() || owner.pipelineClass().empty() ? nullptr : &owner;
}

void AdjustedCheckpoint::addNoise(Json& scheduler) const {
    Checkpoint& owner = ownerOf(kUNetPart);
    if (&owner != &whole() && owner.has(kScheduler)) {
        const Json stated = owner.readJson(kScheduler);
        const bool isComplete = otherComplete() != nullptr || !stated.is_object();
        const bool isPndm = scheduler.value("_class_name", Json()) == "PNDMScheduler";
        if (isComplete) {
            scheduler = stated;
        } else {
            scheduler.update(stated);
        }
        if (!isComplete && isPndm && stated.contains("rescale_betas_zero_snr")) {
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
    if (Checkpoint* whole = otherComplete()) {
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
            refuseContext(*this, read.front(), width, message("the checkpoint's own {}", width));
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
