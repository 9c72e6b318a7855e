#pragma once
// Our own kernels. Each has a way without them that gives the same bits, which is taken where the
// library was built without CUDA's compiler: hasOwnKernels() reports that.

#include "plugin/base/units.hpp"
#include "plugin/residency/decoding/gpu_units.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lowtide::residency {

[[nodiscard]] bool hasOwnKernels() noexcept;
/// The compiler and what it compiled for, or "ATen".
[[nodiscard]] const char* kernelsText() noexcept;

/// Numbers that get a wider type on their way to a GPU; nothing is rounded.
struct Widening {
    std::byte* target = nullptr;
    DType to = DType::F32;
    const std::byte* source = nullptr;  ///< pinned, aligned to 16 bytes
    DType from = DType::F16;
    int64_t count = 0;
};

/// From f8, f16 or bf16 to a type of more bytes.
[[nodiscard]] bool canWiden(DType from, DType to) noexcept;
/// Reads pinned host memory where it lies, so that only narrow numbers cross the bus.
[[nodiscard]] cudaError_t widen(const Widening& widening, cudaStream_t stream);

/// e4m3 [rows, columns] with a scale for each row, to f32, f16 or bf16.
struct ScaledRows {
    void* target = nullptr;
    DType type = DType::BF16;
    const void* values = nullptr;
    const float* scales = nullptr;
    int64_t rows = 0;
    int64_t columns = 0;
};

[[nodiscard]] cudaError_t dequantise(const ScaledRows& rows, cudaStream_t stream);

/// What lies encoded on a GPU as numbers of f32, f16 or bf16: in f32, rounded once. Only where
/// hasGpuDecoder().
struct GpuDecoding {
    void* target = nullptr;
    DType type = DType::F32;
    StoredOnGpu stored;
    std::string_view encoding;
};

[[nodiscard]] cudaError_t decode(const GpuDecoding& work, cudaStream_t stream);

/// f32 [batch, 3, pixels] in 0..1 to bytes [batch, pixels, 3]: round(255 x), ties to even.
struct Levels {
    uint8_t* target = nullptr;
    const float* source = nullptr;
    int64_t batch = 0;
    int64_t pixels = 0;
};

[[nodiscard]] cudaError_t toLevels(const Levels& levels, cudaStream_t stream);

}  // namespace lowtide::residency
