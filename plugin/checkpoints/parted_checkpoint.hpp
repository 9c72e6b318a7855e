#pragma once
// Checkpoints that are put together: components of other files, under other names, with settings
// that a user overrode. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"

#include <map>
#include <memory>
#include <string>

namespace lowtide::models {

/// Checkpoints by the component ("unet", "vae") that is taken from each.
using CheckpointParts = std::map<std::string, std::shared_ptr<Checkpoint>, std::less<>>;

/// Another checkpoint with components of other files.
class PartedCheckpoint : public Checkpoint {
public:
    /// Each part has the component under whose name it stands.
    PartedCheckpoint(std::unique_ptr<Checkpoint> checkpoint, CheckpointParts parts);

    [[nodiscard]] const std::string& name() const override { return checkpoint_->name(); }

    [[nodiscard]] const std::string& nameOf(std::string_view component) const override {
        return ownerOf(component).name();
    }

    [[nodiscard]] std::string pathOf(const std::string& relative) const override {
        return ownerOf(relative).pathOf(relative);
    }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;
    [[nodiscard]] std::vector<memory::WeightFile> files() const override;

protected:
    /// Who has what lies at "<component>/..." of the diffusers layout.
    [[nodiscard]] Checkpoint& ownerOf(std::string_view relative) const;

    [[nodiscard]] Checkpoint& whole() const { return *checkpoint_; }

    [[nodiscard]] bool isParted(std::string_view component) const {
        return parts_.contains(component);
    }

private:
    std::unique_ptr<Checkpoint> checkpoint_;
    CheckpointParts parts_;
    Json index_;
};

/// A part of a model that load.diffusion_model takes on a port of its own.
struct SplitPart {
    const char* component;  ///< in the diffusers layout
    const char* item;       ///< the port, and the rest of the id of the node that opens it
    const char* type;       ///< of its value on a wire
};

inline constexpr SplitPart kSplitParts[] = {{"text_encoder", "text_encoder", "TEXT_ENCODER"},
                                            {"vae", "autoencoder", "AUTOENCODER"},
                                            {"image_encoder", "image_encoder", "IMAGE_ENCODER"}};

/// The second of two denoisers, in the diffusers layout and as load.diffusion_model has its file.
inline constexpr const char* kSecondTransformer = "transformer_2";
inline constexpr const char* kLowNoiseItem = "low_noise";

/// The part of a port. Error{Internal} for another one.
[[nodiscard]] const SplitPart& splitPart(std::string_view item);

/// A denoiser's file with the files of its other networks.
class SplitCheckpoint final : public PartedCheckpoint {
public:
    /// `parts` by component, tokenizers too.
    SplitCheckpoint(std::unique_ptr<Checkpoint> denoiser, CheckpointParts parts);

    /// The port or parameter of load.diffusion_model that a component comes from.
    [[nodiscard]] std::string itemOf(std::string_view component) const override;
};

/// Shows components of a checkpoint as other ones: the file of a second denoiser, or of a third
/// text encoder with its tokenizer, which no layout distinguishes from a first.
class RenamedCheckpoint final : public Checkpoint {
public:
    /// `shown`: names here, and those of the checkpoint.
    RenamedCheckpoint(std::shared_ptr<Checkpoint> checkpoint,
                      std::map<std::string, std::string, std::less<>> shown);

    [[nodiscard]] const std::string& name() const override { return checkpoint_->name(); }

    [[nodiscard]] std::string pathOf(const std::string& relative) const override {
        return checkpoint_->pathOf(fullPathOf(relative));
    }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;

    [[nodiscard]] std::vector<memory::WeightFile> files() const override {
        return checkpoint_->files();
    }

private:
    /// The path in the checkpoint of a path here.
    [[nodiscard]] std::string fullPathOf(const std::string& relative) const;

    std::shared_ptr<Checkpoint> checkpoint_;
    std::map<std::string, std::string, std::less<>> shown_;
    Json index_;
};

/// Another checkpoint with components of other files, another prediction type, or both. Its latents
/// are kept: an autoencoder that states no scale takes that of the checkpoint's own. So is
/// the noise, but for what a denoiser's file states; a denoiser of a whole checkpoint brings
/// latents and noise along, which it was trained on.
class AdjustedCheckpoint final : public PartedCheckpoint {
public:
    /// `prediction` is "epsilon", "v_prediction", or empty: as the checkpoint states.
    AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                       CheckpointParts parts,
                       std::string prediction);

    [[nodiscard]] std::string itemOf(std::string_view component) const override {
        return std::string(isParted(component) ? component : "checkpoint");
    }

    [[nodiscard]] Json readJson(const std::string& relative) override;

private:
    /// The checkpoint that another denoiser is of; nullptr: none is, or it came alone.
    [[nodiscard]] Checkpoint* otherComplete() const;
    void addNoise(Json& scheduler) const;
    void addLatents(Json& autoencoder) const;
    /// What its file does not state: the numbers in addition to its time, or, without any settings,
    /// all.
    void addSizes(Json& denoiser) const;

    std::string prediction_;
};

}  // namespace lowtide::models
