#pragma once
// A checkpoint of which a person chose parts otherwise. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"

#include <memory>
#include <string>

namespace lowtide::models {

/// Another checkpoint with components of other files, another prediction type, or both. Its latents
/// stay what they are: an autoencoder that states no scale takes that of the checkpoint's own. So
/// does the noise, but for what a denoiser's file says; a denoiser of a whole checkpoint brings
/// latents and noise along, which it was trained on.
class AdjustedCheckpoint final : public PartedCheckpoint {
public:
    /// `prediction` is "epsilon", "v_prediction", or empty: as the checkpoint says.
    AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                       CheckpointParts parts,
                       std::string prediction);

    [[nodiscard]] std::string itemOf(std::string_view component) const override {
        return std::string(isParted(component) ? component : "checkpoint");
    }

    [[nodiscard]] Json readJson(const std::string& relative) override;

private:
    /// The checkpoint that another denoiser is of; nullptr: none is, or it came alone.
    [[nodiscard]] Checkpoint* otherWhole() const;
    void addNoise(Json& scheduler) const;
    void addLatents(Json& autoencoder) const;
    /// What its file does not say: the numbers beside its time, or, without any settings, all.
    void addSizes(Json& denoiser) const;

    std::string prediction_;
};

}  // namespace lowtide::models
