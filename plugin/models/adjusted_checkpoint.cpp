#include "plugin/models/adjusted_checkpoint.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kAutoencoderSettings = "vae/config.json";
constexpr const char* kScheduler = "scheduler/scheduler_config.json";
/// Settings of an autoencoder that say how latents look to the denoiser, not what the network is.
constexpr const char* kLatentSettings[] = {
    "scaling_factor", "shift_factor", "latents_mean", "latents_std", "force_upcast"};

/// Those of the checkpoint's own autoencoder, which may be missing or damaged: then nothing is
/// known of them.
void addLatentSettings(Checkpoint& checkpoint, Json& settings) {
    try {
        const Json own = checkpoint.readJson(kAutoencoderSettings);
        for (const char* key : kLatentSettings) {
            if (own.contains(key) && !settings.contains(key)) {
                settings[key] = own.at(key);
            }
        }
    } catch (const Error& error) {
        log(Level::Warning, error.message() + ": the latents are taken as those of the file");
    }
}

}  // namespace

AdjustedCheckpoint::AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                                       CheckpointParts parts,
                                       std::string prediction)
    : checkpoint_(std::move(checkpoint)),
      parts_(std::move(parts)),
      prediction_(std::move(prediction)),
      index_(checkpoint_->index()) {
    for (const auto& [component, part] : parts_) {
        index_[component] = part->index().at(component);
    }
}

Checkpoint& AdjustedCheckpoint::ownerOf(std::string_view relative) const {
    const auto part = parts_.find(relative.substr(0, relative.find('/')));
    return part == parts_.end() ? *checkpoint_ : *part->second;
}

bool AdjustedCheckpoint::has(const std::string& relative) const {
    return ownerOf(relative).has(relative);
}

std::string AdjustedCheckpoint::readText(const std::string& relative) {
    return ownerOf(relative).readText(relative);
}

Json AdjustedCheckpoint::readJson(const std::string& relative) {
    Checkpoint& owner = ownerOf(relative);
    Json json = owner.readJson(relative);
    if (!json.is_object()) {
        return json;
    }
    if (!prediction_.empty() && relative == kScheduler) {
        json["prediction_type"] = prediction_;
    }
    if (&owner != checkpoint_.get() && relative == kAutoencoderSettings) {
        addLatentSettings(*checkpoint_, json);
    }
    return json;
}

WeightMap AdjustedCheckpoint::weights(const std::string& component, const std::string& stem) {
    return ownerOf(component).weights(component, stem);
}

std::function<WeightMap()> AdjustedCheckpoint::laterWeights(const std::string& component,
                                                            const std::string& stem) {
    return ownerOf(component).laterWeights(component, stem);
}

std::vector<memory::WeightFile> AdjustedCheckpoint::files() const {
    std::vector<memory::WeightFile> all = checkpoint_->files();
    for (const auto& [component, part] : parts_) {
        const std::vector<memory::WeightFile> own = part->files();
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

}  // namespace lowtide::models
