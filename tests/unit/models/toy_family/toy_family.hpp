#pragma once

#include "plugin/checkpoints/family.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::testing {

/// Roles of the toy family's text encoders, in the order in which they read a prompt.
inline const std::vector<std::string> kToyEncoders = {
    "text_encoder", "text_encoder_3", "text_encoder_of_shapes"};
/// A component that no stage runs.
inline constexpr const char* kToyImageEncoder = "image_encoder";

/// What its checkpoints call their pipeline.
inline constexpr const char* kToyPipeline = "ToyPipeline";

/// A family that the program does not have: three text encoders, of which the denoiser reads the
/// mean, an image encoder, and the other networks of Stable Diffusion.
[[nodiscard]] const models::Family& toyFamily();

/// A checkpoint of it, whose encoders have the weights of the mini model's.
class ToyCheckpoint {
public:
    ToyCheckpoint();

    [[nodiscard]] std::string path() const { return copy_.path(); }

private:
    CheckpointCopy copy_;
};

}  // namespace lowtide::testing
