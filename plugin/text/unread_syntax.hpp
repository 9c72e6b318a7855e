#pragma once

#include "plugin/text/prompt_weights.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A stretch of a prompt that means something elsewhere and is read as words here.
struct UnreadSyntax {
    std::string written;  ///< as it stands in the prompt: "(fox:1.2)"
    std::string meaning;  ///< what it is elsewhere: "a weight"
    std::string hint;     ///< what to do instead
};

/// The first of each kind that `weights` does not read; without `canWeigh` no weights do:
/// (fox:1.2), BREAK, [a:b:0.5] and [a|b], AND, <lora:name:1>. A backslash takes a bracket its
/// meaning. Takes any bytes, linear time. Sources: AUTOMATIC1111 stable-diffusion-webui 1.10,
/// prompt_parser.py and extra_networks.py.
[[nodiscard]] std::vector<UnreadSyntax> unreadSyntax(std::string_view text,
                                                     PromptWeights weights,
                                                     bool canWeigh = true);

}  // namespace lowtide::models
