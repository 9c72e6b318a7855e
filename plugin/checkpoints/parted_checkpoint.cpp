#include "plugin/checkpoints/parted_checkpoint.hpp"

#include <algorithm>
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

}  // namespace lowtide::models
