#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/interop/class_table.hpp"

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

/// Why the image encoder of a model does not see what it does in ComfyUI: here it is given the
/// images of Recipe::sees, where there is one.
[[nodiscard]] std::vector<Message> differentlySeen(const Recipe& recipe,
                                                   const CarriedInputs& inputs,
                                                   bool hasImageEncoder);

/// Wires that ComfyUI does something with and the recipe does not.
[[nodiscard]] std::vector<Message> unreadWires(const ClassRow& row,
                                               const Recipe& recipe,
                                               const CarriedInputs& inputs);

}  // namespace lowtide::interop
