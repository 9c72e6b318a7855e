#include "plugin/models/model_cache.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/models/adjusted_checkpoint.hpp"
#include "plugin/models/checkpoint_folder.hpp"
#include "plugin/models/families/family.hpp"
#include "plugin/models/single_file/single_file.hpp"
#include "plugin/models/unchanged_weights.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::models {

namespace {

/// Headers and tokenizers only, some megabytes each.
constexpr size_t kRecentModels = 4;

/// One text for one choice. Settings beside a file that come or go make it another.
std::string keyOf(const CheckpointChoice& choice) {
    std::string key = choice.prediction;
    for (const CheckpointPath* path :
         {&choice.checkpoint, choice.autoencoder ? &*choice.autoencoder : nullptr}) {
        std::error_code ignored;
        const bool isStated = path && std::filesystem::exists(besidePath(path->path), ignored);
        key += '\n' + (path ? path->path : std::string()) + (isStated ? "\n+" : "");
    }
    return key;
}

std::unique_ptr<Checkpoint> openLayout(const CheckpointPath& path,
                                       const std::string& resourcesFolder) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path.path, ignored)) {
        return std::make_unique<CheckpointFolder>(path.path, path.name);
    }
    return std::make_unique<SingleFile>(path.path, path.name, resourcesFolder);
}

std::optional<AutoencoderFile> openChosenAutoencoder(const CheckpointChoice& choice) {
    if (!choice.autoencoder) {
        return std::nullopt;
    }
    try {
        return AutoencoderFile(choice.autoencoder->path, choice.autoencoder->name);
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), "vae");
    }
}

}  // namespace

std::shared_ptr<const Model> ModelCache::open(const CheckpointChoice& choice) {
    const std::lock_guard lock(mutex_);
    const std::string key = keyOf(choice);
    const auto entry = known_.find(key);
    if (entry != known_.end()) {
        const std::shared_ptr<const Model> model = entry->second.lock();
        if (model && areUnchanged(model->info().files)) {
            remember(key, model);
            return model;
        }
    }
    const std::shared_ptr<const Model> model = openAnew(choice);
    remember(key, model);
    return model;
}

std::shared_ptr<const Model> ModelCache::openAnew(const CheckpointChoice& choice) const {
    std::unique_ptr<Checkpoint> checkpoint = openLayout(choice.checkpoint, resourcesFolder_);
    if (!choice.autoencoder && choice.prediction.empty()) {
        return openCheckpoint(*checkpoint);
    }
    AdjustedCheckpoint adjusted(
        std::move(checkpoint), openChosenAutoencoder(choice), choice.prediction);
    return openCheckpoint(adjusted);
}

void ModelCache::remember(const std::string& key, const std::shared_ptr<const Model>& model) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    known_.insert_or_assign(key, model);
    std::erase(recent_, model);
    recent_.push_front(model);
    recent_.resize(std::min(recent_.size(), kRecentModels));
}

std::string fingerprintOf(std::span<const memory::WeightFile> files) {
    Hasher hasher;
    for (const memory::WeightFile& file : files) {
        hasher.add(file.path).add(file.size).add(file.modifiedNanoseconds);
        hasher.add(static_cast<int64_t>(file.inode));
    }
    return hasher.hexDigest();
}

}  // namespace lowtide::models
