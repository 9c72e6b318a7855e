#pragma once
// Small functions and loops that a host, with AVX2 or without, and a GPU compute with: one source,
// the same bits. Nothing is contracted to a fused operation, no sum is reordered.

#ifdef __CUDACC__
#define LOWTIDE_ANYWHERE __host__ __device__ __forceinline__
/// Before a loop of few iterations: a GPU unrolls it, so that its arrays are registers.
#define LOWTIDE_ROLLED _Pragma("unroll")
#else
#define LOWTIDE_ANYWHERE [[gnu::always_inline]] inline
/// Before a loop of few iterations: it is vectorised, not unrolled to single steps.
#define LOWTIDE_ROLLED _Pragma("GCC unroll 1")
#endif

namespace lowtide::encodings {

// Loops that are compiled twice: for every processor, and for those with AVX2. Both give the same
// bits: nothing is contracted to a fused operation, and no sum is reordered.

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
