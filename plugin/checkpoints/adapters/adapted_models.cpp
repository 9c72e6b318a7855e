#include "plugin/checkpoints/adapters/adapted_models.hpp"

#include "plugin/checkpoints/unchanged_weights.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

/// Trees of headers, some megabytes each; a stack of adapters has one for each of them.
constexpr size_t kRecentAdaptedModels = 16;

}  // namespace

std::shared_ptr<const AdaptedModel> AdaptedModels::open(std::shared_ptr<const Model> base,
                                                        const CheckpointPath& file,
                                                        const LoraRequest& request) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const Entry& entry) {
        return entry.base == base && entry.path == file.path &&
               entry.strength == request.strength && entry.textStrength == request.textStrength &&
               entry.expert == request.expert && areUnchanged(entry.model->files());
    });
    Entry entry{base, file.path, request.strength, request.textStrength, request.expert, nullptr};
    if (known != recent_.end()) {
        entry = std::move(*known);
        recent_.erase(known);
    } else {
        entry.model = std::make_shared<const AdaptedModel>(
            std::move(base),
            AdapterChoice{.file = std::make_shared<const AdapterFile>(openAdapterFile(file.path)),
                          .strength = request.strength,
                          .textStrength = request.textStrength,
                          .expert = request.expert});
    }
    recent_.push_front(std::move(entry));
    recent_.resize(std::min(recent_.size(), kRecentAdaptedModels));
    return recent_.front().model;
}

}  // namespace lowtide::models
