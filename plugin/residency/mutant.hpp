#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace lowtide::residency {

/// Deliberate faults, each of which a test must find (tests/unit/residency/mutants). The product
/// has none of them; in the tests' own build of this library LOWTIDE_MUTANT holds the number of
/// one.
enum class Mutant : uint8_t {
    ComputeDoesNotWait = 1,  ///< for the copies of a group
    CopyDoesNotWait = 2,     ///< for the last use of what lies there
    LeasedIsEvicted = 3,
    BoundLate = 4,     ///< an old address is kept when its group moves
    ReusedEarly = 5,   ///< what was computed during a lease does not count as use
    AdaptedTwice = 6,  ///< the changes of adapters are added again at the next use
    CapDropped = 7,
    QueueNotDrained = 8,  ///< before memory is given back
};

#ifdef LOWTIDE_MUTANTS
[[nodiscard]] inline bool isMutant(Mutant mutant) {
    static const char* const number = std::getenv("LOWTIDE_MUTANT");
    return number && number == std::to_string(static_cast<int>(mutant));
}
#else
[[nodiscard]] constexpr bool isMutant(Mutant /*mutant*/) {
    return false;
}
#endif

}  // namespace lowtide::residency
