#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/message.hpp"

#include <string>

namespace lowtide::nodes {

/// How strongly something other than the text is followed, and in which range of a pass's calls.
struct Influence {
    double strength = 1;
    double start = 0;
    double end = 1;

    /// Whether call `call` of `count` lies in the range, as diffusers 0.42.1 keeps ControlNets.
    [[nodiscard]] bool isFeltIn(int call, int count) const;
};

[[nodiscard]] Json toJson(const Influence& influence);

/// Error{InvalidInput} on "strength", "start" or "end". `what` is what a range that ends before it
/// starts does: "the control begins at 0.5 and ends at 0.2".
void requireInfluence(const Influence& influence, const Message& what);

}  // namespace lowtide::nodes
