#include "plugin/models/model_cache.hpp"

#include "plugin/base/hash.hpp"
#include "plugin/models/families/family.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

/// Headers and tokenizers only, some megabytes each.
constexpr size_t kRecentModels = 4;

}  // namespace

std::shared_ptr<const Model> ModelCache::open(const CheckpointPath& checkpoint) {
    const std::lock_guard lock(mutex_);
    const auto entry = known_.find(checkpoint.path);
    if (entry != known_.end()) {
        const std::shared_ptr<const Model> model = entry->second.lock();
        if (model && areUnchanged(model->info().files)) {
            remember(checkpoint.path, model);
            return model;
        }
    }
    CheckpointFolder folder(checkpoint.path, checkpoint.name);
    const std::shared_ptr<const Model> model = openCheckpoint(folder);
    remember(checkpoint.path, model);
    return model;
}

void ModelCache::remember(const std::string& path, const std::shared_ptr<const Model>& model) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    known_.insert_or_assign(path, model);
    std::erase(recent_, model);
    recent_.push_front(model);
    recent_.resize(std::min(recent_.size(), kRecentModels));
}

std::string fingerprintOf(const ModelInfo& info) {
    Hasher hasher;
    for (const memory::WeightFile& file : info.files) {
        hasher.add(file.path).add(file.size).add(file.modifiedNanoseconds);
        hasher.add(static_cast<int64_t>(file.inode));
    }
    return hasher.hexDigest();
}

}  // namespace lowtide::models
