#pragma once
// Opened checkpoints: the same files give the same model.

#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/nn/model.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

struct Family;

/// What a user chose: a checkpoint and, where they replace them, parts of it.
struct CheckpointChoice {
    CheckpointPath checkpoint;
    std::map<std::string, CheckpointPath> parts;  ///< components ("vae") of other files
    std::string prediction;  ///< "epsilon", "v_prediction"; empty: as the checkpoint states
};

/// A checkpoint of one file for each network: the denoiser's, and those that are connected to it.
struct SplitChoice {
    CheckpointPath denoiser;
    std::optional<CheckpointPath> second{};       ///< the low-noise model
    std::vector<CheckpointPath> texts{};          ///< of text encoders, in any order
    std::map<std::string, CheckpointPath> parts;  ///< of other components
};

/// Opened checkpoints: the same files give the same value. Models that nobody uses are forgotten,
/// but for the last few. Thread-safe.
class ModelCache {
public:
    /// `resourcesFolder` holds what single files lack (tokenizers/). `families`: those that are
    /// known.
    ModelCache(std::string resourcesFolder, std::span<const Family* const> families)
        : resourcesFolder_(std::move(resourcesFolder)), families_(families) {}

    /// The model of this folder or file; opened again when one of its files changed.
    [[nodiscard]] std::shared_ptr<const Model> open(const CheckpointChoice& choice);
    /// Error{Unsupported} for a denoiser that names no pipeline; those of parts are on their ports.
    [[nodiscard]] std::shared_ptr<const Model> open(const SplitChoice& choice);

private:
    using OpenModel = std::function<std::shared_ptr<const Model>()>;

    [[nodiscard]] std::shared_ptr<const Model> openUncached(const CheckpointChoice& choice) const;
    [[nodiscard]] std::shared_ptr<const Model> openUncached(const SplitChoice& choice) const;
    [[nodiscard]] std::shared_ptr<const Model> openOnce(const std::string& key,
                                                        const OpenModel& openModel);
    void remember(const std::string& key, const std::shared_ptr<const Model>& model);

    std::string resourcesFolder_;
    std::span<const Family* const> families_;
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<const Model>> known_;
    std::deque<std::shared_ptr<const Model>> recent_;
};

}  // namespace lowtide::models
