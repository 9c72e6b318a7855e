#pragma once
// A checkpoint that people have as one file for each network. Torch-free.

#include "plugin/checkpoints/parted_checkpoint.hpp"

#include <string>

namespace lowtide::models {

/// A part of a model that load.diffusion_model takes on a port of its own.
struct SplitPart {
    const char* component;  ///< in the diffusers layout
    const char* item;       ///< the port, and the rest of the id of the node that opens it
    const char* type;       ///< of its value on a wire
};

inline constexpr SplitPart kSplitParts[] = {{"text_encoder", "text_encoder", "TEXT_ENCODER"},
                                            {"vae", "autoencoder", "AUTOENCODER"},
                                            {"image_encoder", "image_encoder", "IMAGE_ENCODER"}};

/// The second of two experts, in the diffusers layout and as load.diffusion_model has its file.
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

}  // namespace lowtide::models
