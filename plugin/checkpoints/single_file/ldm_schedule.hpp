#pragma once
// What files of weights state about the noise that their denoiser was trained on. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/weight_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// The scheduler of a transformer alone in a file: Euler over a flow with the shift 3, as
/// distilled models have it. Others are published with a shift of 6, which their file does not
/// state.
[[nodiscard]] inline Json flowSchedule() {
    return {{"_class_name", "FlowMatchEulerDiscreteScheduler"},
            {"num_train_timesteps", 1000},
            {"shift", 3.0},
            {"use_dynamic_shifting", false}};
}

/// What the file states that its denoiser predicts ("epsilon", "v_prediction"): modelspec's word,
/// or ComfyUI's key.
[[nodiscard]] std::optional<std::string> statedPrediction(const WeightFileHeader& file);

/// Whether the UNet under `prefix` reads texts as wide as SD 2.x has them.
[[nodiscard]] bool readsVersion2Texts(const WeightMap& file, std::string_view prefix);

/// What a UNet of SD 2.x under `prefix` predicts where its file does not state it, by training
/// steps, channels and biasLooksLikeVelocity(). Nothing: none of them decides. Reads a tensor.
[[nodiscard]] std::optional<std::string> version2Prediction(const WeightFileHeader& file,
                                                            std::string_view prefix);

/// Adds to a scheduler's settings that the denoiser was trained down to noise without signal
/// (ComfyUI's key); one that predicts velocity then begins there.
void addZeroSnr(const WeightFileHeader& file, Json& settings);

/// Error{Unsupported} where the file states that it predicts velocity of EDM's noise.
void refuseEdmVelocity(const WeightFileHeader& file);

}  // namespace lowtide::models
