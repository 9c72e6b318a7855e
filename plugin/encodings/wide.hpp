#pragma once
// Loops that are compiled twice: for every processor, and for those with AVX2. Both give the same
// bits: nothing is contracted to a fused operation, and no sum is reordered.

#include "plugin/encodings/anywhere.hpp"

namespace lowtide::encodings {

/// For small functions inside of such loops.
#define LOWTIDE_INLINE [[gnu::always_inline]] inline

[[nodiscard]] inline bool hasWideInstructions() noexcept {
    static const bool kHas = __builtin_cpu_supports("avx2") != 0;
    return kHas;
}

template <typename Loop, typename... Arguments>
__attribute__((target("avx2"))) void runWide(Arguments... arguments) noexcept {
    Loop::run(arguments...);
}

template <typename Loop, typename... Arguments>
void runPlain(Arguments... arguments) noexcept {
    Loop::run(arguments...);
}

/// Loop::run(arguments...), which is LOWTIDE_INLINE, with the widest instructions there are.
template <typename Loop, typename... Arguments>
void runLoop(Arguments... arguments) noexcept {
    hasWideInstructions() ? runWide<Loop>(arguments...) : runPlain<Loop>(arguments...);
}

}  // namespace lowtide::encodings
