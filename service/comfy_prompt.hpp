#pragma once

#include "service/comfy_nodes.hpp"
#include "service/graph_intake.hpp"
#include "service/http.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::service {

/// A prompt that can be run, at least in part, or the answer that refuses it.
struct TakenPrompt {
    std::string graph;
    Json options;
    std::vector<std::string> outputs;  ///< nodes of the prompt
    Json nodeErrors = Json::object();  ///< of what is not run
    std::optional<Response> refused{};
};

/// Takes what ComfyUI's server is sent: the graph is imported and checked; what is wrong is named
/// at its node, in ComfyUI's form.
[[nodiscard]] TakenPrompt takePrompt(const Json& body,
                                     const GraphIntake& intake,
                                     const ComfyNodes& nodes,
                                     Runner& runner);
/// The part of a prompt that a node needs, with itself.
[[nodiscard]] Json neededPart(const Json& prompt, const std::string& node);

}  // namespace lowtide::service
