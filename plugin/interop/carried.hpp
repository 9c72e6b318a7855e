#pragma once

#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"

#include <map>
#include <optional>
#include <string>

namespace lowtide::interop {

/// What leaves an output: a wire, and what the nodes behind it are to know.
struct Carried {
    std::optional<graph::PortRef> wire;
    std::map<std::string, Json> settings;         ///< values of parameters by their ids here
    std::map<std::string, graph::PortRef> wires;  ///< for inputs by their ids here
    bool isMissing = false;                       ///< something that it needs is not there
};

/// By the inputs of a node there.
using CarriedInputs = std::map<std::string, Carried>;

/// Adds what rides on `source`, where `target` has nothing of that name.
inline void mergeInto(Carried& target, const Carried& source) {
    target.settings.insert(source.settings.begin(), source.settings.end());
    target.wires.insert(source.wires.begin(), source.wires.end());
    target.isMissing = target.isMissing || source.isMissing;
}

}  // namespace lowtide::interop
