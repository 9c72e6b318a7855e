#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"
#include "plugin/graph/document.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::interop {

/// A wire that rides on an output, for an input of a node behind it.
struct CarriedWire {
    graph::PortRef from;
    /// ComfyUI gives what rides on the positive prompt to the negative one, too.
    bool isSpread = false;
};

/// What leaves an output: a wire, and what the nodes behind it are to know.
struct Carried {
    std::optional<graph::PortRef> wire;
    std::map<std::string, Json> settings;      ///< values of parameters by their ids here
    std::map<std::string, CarriedWire> wires;  ///< for inputs by their ids here
    bool isMissing = false;                    ///< something that it needs is not there
};

/// By the inputs of a node there.
using CarriedInputs = std::map<std::string, Carried>;

/// Adds what rides on `source`, where `target` has nothing of that name.
void mergeInto(Carried& target, const Carried& source);
/// What rides on the inputs; of two that differ, what does not ride on the negative prompt.
[[nodiscard]] Carried merged(const CarriedInputs& inputs);

/// Why prompts whose conditionings come in by these inputs are not as in ComfyUI: there each prompt
/// has what rides on it alone, here all have it.
[[nodiscard]] std::vector<Message> unevenPrompts(const CarriedInputs& prompts);

}  // namespace lowtide::interop
