#pragma once
// What a prompt holds in addition to its words: tags that ask for LoRAs, and syntax of other
// programs that is read as words here.

#include "plugin/base/message.hpp"
#include "plugin/text/prompt_weights.hpp"

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
    Message problem{};        ///< why the tag is left out; empty: it is read
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

/// A stretch of a prompt that means something elsewhere and is read as words here.
struct UnreadSyntax {
    std::string written;  ///< as it stands in the prompt: "(fox:1.2)"
    Message meaning;      ///< what it is elsewhere: "a weight"
    Message hint;         ///< what to do instead
};

/// The first of each kind that `weights` does not read, of those that a model reads:
/// (fox:1.2), BREAK, [a:b:0.5] and [a|b], AND, <lora:name:1>. A backslash takes a bracket its
/// meaning. Takes any bytes, linear time. Sources: AUTOMATIC1111 stable-diffusion-webui 1.10,
/// prompt_parser.py and extra_networks.py.
[[nodiscard]] std::vector<UnreadSyntax> unreadSyntax(std::string_view text,
                                                     PromptWeights weights,
                                                     WeightsRead read = WeightsRead::All);

}  // namespace lowtide::models
