#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A tag of a prompt that asks for a LoRA, "<lora:ink:0.8>".
struct LoraTag {
    std::string written;      ///< as it stands in the prompt
    std::string name;         ///< of the file, with its ending or without
    double textStrength = 1;  ///< the first number, or te=
    double strength = 1;      ///< the second one, or unet=; without it the first one
    std::string problem{};    ///< why the tag is left out; empty: it is read
};

/// A prompt taken apart: its text without tags, and its tags in their order.
struct TaggedPrompt {
    std::string text;
    std::vector<LoraTag> tags;
};

/// Takes out all "<word:...>", as A1111 does: lora and lyco are read, all others have a problem.
/// Strengths are numbers from -100 to 100; other settings ("lbw=...") are passed over.
/// Source: AUTOMATIC1111 stable-diffusion-webui 1.10, extra_networks.py, extra_networks_lora.py.
[[nodiscard]] TaggedPrompt readTags(std::string_view prompt);

}  // namespace lowtide::models
