#include "plugin/models/renamed_checkpoint.hpp"

#include <utility>

namespace lowtide::models {

RenamedCheckpoint::RenamedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                                     std::string component,
                                     std::string shown)
    : checkpoint_(std::move(checkpoint)),
      component_(std::move(component)),
      shown_(std::move(shown)),
      index_(checkpoint_->index()) {
    index_[shown_] = index_.value(component_, Json());
    index_.erase(component_);
}

std::string RenamedCheckpoint::placeOf(const std::string& relative) const {
    const size_t end = relative.find('/');
    const std::string behind = end == relative.npos ? std::string() : relative.substr(end);
    return relative.substr(0, end) == shown_ ? component_ + behind : relative;
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
