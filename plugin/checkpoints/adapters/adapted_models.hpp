#pragma once

#include "plugin/checkpoints/adapters/adapted_model.hpp"
#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/load_requests.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <string_view>

namespace lowtide::models {

/// Models with adapters: the same model, file and settings give the same value. Those that nobody
/// uses are forgotten, but for the last few. Thread-safe.
class AdaptedModels {
public:
    /// Opens the adapter's file by its header, anew where it changed; `request` has the settings.
    /// Errors: those of
    /// openAdapterFile() and AdaptedModel.
    [[nodiscard]] std::shared_ptr<const AdaptedModel> open(std::shared_ptr<const Model> base,
                                                           const CheckpointPath& file,
                                                           const LoraRequest& request);

private:
    struct Entry {
        std::shared_ptr<const Model> base;
        std::string path;
        double strength;
        double textStrength;
        std::string expert;
        std::shared_ptr<const AdaptedModel> model;
    };

    std::mutex mutex_;
    std::deque<Entry> recent_;  ///< the last used one in front
};

}  // namespace lowtide::models
