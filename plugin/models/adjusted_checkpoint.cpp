#include "plugin/models/adjusted_checkpoint.hpp"

#include "plugin/models/unchanged_weights.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kVae = "vae";
constexpr const char* kAutoencoderSettings = "vae/config.json";
constexpr const char* kScheduler = "scheduler/scheduler_config.json";

}  // namespace

AdjustedCheckpoint::AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                                       std::optional<AutoencoderFile> autoencoder,
                                       std::string prediction)
    : checkpoint_(std::move(checkpoint)),
      autoencoder_(std::move(autoencoder)),
      prediction_(std::move(prediction)) {}

std::string AdjustedCheckpoint::componentClass(const std::string& component) const {
    return autoencoder_ && component == kVae ? "AutoencoderKL"
                                             : checkpoint_->componentClass(component);
}

bool AdjustedCheckpoint::has(const std::string& relative) const {
    return (autoencoder_ && relative == kAutoencoderSettings) || checkpoint_->has(relative);
}

std::string AdjustedCheckpoint::readText(const std::string& relative) {
    return checkpoint_->readText(relative);
}

Json AdjustedCheckpoint::readJson(const std::string& relative) {
    if (autoencoder_ && relative == kAutoencoderSettings) {
        return autoencoder_->settings();
    }
    Json json = checkpoint_->readJson(relative);
    if (!prediction_.empty() && relative == kScheduler && json.is_object()) {
        json["prediction_type"] = prediction_;
    }
    return json;
}

WeightMap AdjustedCheckpoint::weights(const std::string& component, const std::string& stem) {
    return autoencoder_ && component == kVae ? autoencoder_->weights()
                                             : checkpoint_->weights(component, stem);
}

std::function<WeightMap()> AdjustedCheckpoint::laterWeights(const std::string& component,
                                                            const std::string& stem) {
    if (!autoencoder_ || component != kVae) {
        return checkpoint_->laterWeights(component, stem);
    }
    return [map = autoencoder_->weights()] {
        requireUnchanged(map.files, map.what);
        return map;
    };
}

std::vector<memory::WeightFile> AdjustedCheckpoint::files() const {
    std::vector<memory::WeightFile> all = checkpoint_->files();
    if (autoencoder_) {
        all.insert(all.end(), autoencoder_->files().begin(), autoencoder_->files().end());
    }
    return all;
}

}  // namespace lowtide::models
