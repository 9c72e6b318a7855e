#pragma once
// Small functions that a host and a card compute with: one source, the same bits. On a card they
// are compiled without fused operations (device/cuda/CMakeLists.txt).

#ifdef __CUDACC__
#define LOWTIDE_ANYWHERE __host__ __device__ __forceinline__
/// Before a loop of few turns: a card unrolls it, so that its arrays are registers.
#define LOWTIDE_ROLLED _Pragma("unroll")
#else
#define LOWTIDE_ANYWHERE [[gnu::always_inline]] inline
/// Before a loop of few turns: it is vectorised, not unrolled to single steps.
#define LOWTIDE_ROLLED _Pragma("GCC unroll 1")
#endif
