#pragma once
// Which prompts a denoiser is asked for, where and when. Torch-free.

#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/sampling/noise_schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace lowtide::nodes {

/// A prompt on a latent image of known size.
struct RegionalEntry {
    size_t prompt = 0;                         ///< its index in the conditioning
    std::vector<int64_t> tokens{};             ///< ConditioningSpec::tokensOf
    std::optional<models::LatentArea> area{};  ///< empty: the whole image
    std::optional<size_t> mask{};              ///< in RegionalPrompts::masks; empty: none
    double strength = 1;
    double start = 0;
    double end = 1;

    [[nodiscard]] bool isUnrestricted() const { return !area && !mask && start <= 0 && end >= 1; }
};

/// The latent image that prompts are placed on.
struct Canvas {
    int64_t height = 0;
    int64_t width = 0;
    int64_t downsampling = 8;  ///< pixels of an image for one of the latent
};

/// Sides and positions in pixels are divided by the downsampling, rounded down, and cut at the
/// image's edge; an area of the whole image is none. Error{InvalidInput} on port `item` when an
/// area lies outside the image.
[[nodiscard]] std::vector<RegionalEntry> regionalEntries(
    const models::ConditioningSpec& conditioning, const Canvas& canvas, const char* item);

/// For every area of one side that the other side has no prompt for, its smallest prompt around the
/// area speaks there too, with the strength and at the time of the one it answers. Guidance inside
/// the area so compares two predictions of the area.
/// Source: ComfyUI samplers.py, create_cond_with_same_area_if_none.
void addCounterparts(std::vector<RegionalEntry>& positive, std::vector<RegionalEntry>& negative);

/// Whether an entry speaks at a time of the network: from timeAt(start) down to timeAt(end), both
/// included; a start of 0 and an end of 1 have no bound. Source: ComfyUI get_area_and_mult, for
/// noise that grows with the time.
[[nodiscard]] bool speaksAt(const RegionalEntry& entry,
                            double timestep,
                            const sampling::TimeAt& timeAt);

/// What one call of the network predicts: a negative and a positive prompt side by side as
/// [uncond, cond], or one prompt alone.
struct PromptCall {
    const RegionalEntry* negative = nullptr;
    const RegionalEntry* positive = nullptr;
};

/// The calls for the prompts that speak: a negative one goes with the first positive one that has
/// its size and numbers of tokens, so that no call is larger than plain guidance. The order depends
/// on nothing but the prompts. Pointers into `positive` and `negative`.
[[nodiscard]] std::vector<PromptCall> callsAt(const std::vector<RegionalEntry>& positive,
                                              const std::vector<RegionalEntry>& negative,
                                              double timestep,
                                              const sampling::TimeAt& timeAt);

}  // namespace lowtide::nodes
