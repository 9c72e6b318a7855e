#pragma once

#include "plugin/models/checkpoint_paths.hpp"
#include "plugin/models/model.hpp"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace lowtide::models {

/// Opened checkpoints: the same files give the same value. Models that nobody uses are forgotten,
/// but for the last few. Thread-safe.
class ModelCache {
public:
    /// The model of this folder; opened anew when one of its files changed.
    [[nodiscard]] std::shared_ptr<const Model> open(const CheckpointPath& checkpoint);

private:
    void remember(const std::string& path, const std::shared_ptr<const Model>& model);

    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<const Model>> known_;
    std::deque<std::shared_ptr<const Model>> recent_;
};

/// Identity of the checkpoint's files as 64 hexadecimal digits: names, sizes, times of change.
[[nodiscard]] std::string fingerprintOf(const ModelInfo& info);

}  // namespace lowtide::models
