#pragma once
// A checkpoint of which a person chose parts otherwise. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/models/checkpoint.hpp"

#include <map>
#include <memory>
#include <string>

namespace lowtide::models {

/// Checkpoints by the component ("unet", "vae") that is taken from each.
using CheckpointParts = std::map<std::string, std::unique_ptr<Checkpoint>, std::less<>>;

/// Another checkpoint with components of other files, another prediction type, or both. Its latents
/// stay what they are: an autoencoder that states no scale takes that of the checkpoint's own. So
/// does the noise, but for what a denoiser's file says; a denoiser of a whole checkpoint brings
/// latents and noise along, which it was trained on.
class AdjustedCheckpoint final : public Checkpoint {
public:
    /// `prediction` is "epsilon", "v_prediction", or empty: as the checkpoint says.
    AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                       CheckpointParts parts,
                       std::string prediction);

    [[nodiscard]] const std::string& name() const override { return checkpoint_->name(); }

    [[nodiscard]] const std::string& nameOf(std::string_view component) const override {
        return ownerOf(component).name();
    }

    [[nodiscard]] std::string itemOf(std::string_view component) const override {
        return std::string(parts_.contains(component) ? component : "checkpoint");
    }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;
    [[nodiscard]] std::vector<memory::WeightFile> files() const override;

private:
    /// Who has what lies at "<component>/..." of the diffusers layout.
    [[nodiscard]] Checkpoint& ownerOf(std::string_view relative) const;
    /// The checkpoint that another denoiser is of; nullptr: none is, or it came alone.
    [[nodiscard]] Checkpoint* otherWhole() const;
    void addNoise(Json& scheduler) const;
    void addLatents(Json& autoencoder) const;
    /// What its file does not say: the numbers beside its time, or, without any settings, all.
    void addSizes(Json& denoiser) const;

    std::unique_ptr<Checkpoint> checkpoint_;
    CheckpointParts parts_;
    std::string prediction_;
    Json index_;
};

}  // namespace lowtide::models
