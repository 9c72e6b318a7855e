#include "plugin/checkpoints/renamed_checkpoint.hpp"

#include <utility>

namespace lowtide::models {

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

std::string RenamedCheckpoint::placeOf(const std::string& relative) const {
    const size_t end = relative.find('/');
    const std::string behind = end == relative.npos ? std::string() : relative.substr(end);
    const auto known = shown_.find(relative.substr(0, end));
    return known == shown_.end() ? relative : known->second + behind;
}

bool RenamedCheckpoint::has(const std::string& relative) const {
    return checkpoint_->has(placeOf(relative));
}

std::string RenamedCheckpoint::readText(const std::string& relative) {
    return checkpoint_->readText(placeOf(relative));
}

Json RenamedCheckpoint::readJson(const std::string& relative) {
    return checkpoint_->readJson(placeOf(relative));
}

WeightMap RenamedCheckpoint::weights(const std::string& component, const std::string& stem) {
    return checkpoint_->weights(placeOf(component), stem);
}

std::function<WeightMap()> RenamedCheckpoint::laterWeights(const std::string& component,
                                                           const std::string& stem) {
    return checkpoint_->laterWeights(placeOf(component), stem);
}

}  // namespace lowtide::models
