#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace lowtide::sampling {

/// What a run's calls of the network did, counted as they were executed. A call that evaluates the
/// network several times counts as full where one of them was.
struct StepCounts {
    int64_t full = 0;
    int64_t partial = 0;
    int64_t predicted = 0;
    /// Evaluations that should have reused something and could not, by reason: "cold" (nothing was
    /// kept), the words of differenceOf(), "prompts" (others speak than before), "gate" (it changed
    /// too much).
    std::map<std::string, int64_t> misses;
    Bytes mostBytes = 0;   ///< that the sessions held at once
    Bytes bytesAfter = 0;  ///< of what they kept that is still alive after their end

    bool operator==(const StepCounts&) const = default;
};

/// {"full", "partial", "predicted", "misses": {reason: n}, "bytes", "bytes_after"}.
[[nodiscard]] Json toJson(const StepCounts& counts);

}  // namespace lowtide::sampling
