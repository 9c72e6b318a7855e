#pragma once
// Which choices go together: ok, lossy with reasons, or refused with the sentence that a person
// sees. One row a rule; editor, validation and plan ask the same table.

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/precision.hpp"

#include <string>
#include <vector>

namespace lowtide::memory {

enum class Verdict : uint8_t { Ok, Lossy, Refused };

/// What is chosen together for one component of one node. Fields as they are made ask nothing.
struct Combination {
    ComponentPrecision precision{};
    bool hasScales = false;  ///< its weights on the device have scales
    bool isPatched = false;  ///< adapters change its weights on the device
};

struct Judgement {
    Verdict verdict = Verdict::Ok;
    std::vector<std::string> reasons{};  ///< sentences; empty: ok
    std::string hint{};                  ///< what to do about a refusal
};

/// The first refusal, else all that makes it lossy.
[[nodiscard]] Judgement judge(const Combination& combination);

/// Whether some weights of the component lie on a device with scales.
[[nodiscard]] bool hasScales(const ComponentTree& tree);

}  // namespace lowtide::memory
