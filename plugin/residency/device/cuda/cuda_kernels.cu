#include "plugin/residency/device/cuda/cuda_kernels.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>

#define LOWTIDE_TEXT_OF(x) #x
#define LOWTIDE_TEXT(x) LOWTIDE_TEXT_OF(x)

namespace lowtide::residency {

namespace {

constexpr int kThreads = 256;
/// A bus is filled by far fewer threads than a GPU has; the others are left to what computes.
constexpr int64_t kWideningBlocks = 32;
constexpr int64_t kMostBlocks = 4096;
constexpr int kVector = 16;  ///< bytes that a thread reads at once

__device__ float numberOf(float value) {
    return value;
}

__device__ float numberOf(__half value) {
    return __half2float(value);
}

__device__ float numberOf(__nv_bfloat16 value) {
    return __bfloat162float(value);
}

__device__ float numberOf(__nv_fp8_e4m3 value) {
    return static_cast<float>(value);
}

__device__ float numberOf(__nv_fp8_e5m2 value) {
    return static_cast<float>(value);
}

template <class To>
__device__ To rounded(float value);

template <>
__device__ float rounded<float>(float value) {
    return value;
}

template <>
__device__ __half rounded<__half>(float value) {
    return __float2half_rn(value);
}

template <>
__device__ __nv_bfloat16 rounded<__nv_bfloat16>(float value) {
    return __float2bfloat16_rn(value);
}

/// Whole vectors first; the rest one by one.
template <class From, class To>
__global__ void widenKernel(To* target, const From* source, int64_t count) {
    constexpr int kNumbers = kVector / sizeof(From);
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t vectors = count / kNumbers;
    for (int64_t i = thread; i < vectors; i += step) {
        const uint4 raw = reinterpret_cast<const uint4*>(source)[i];
        From values[kNumbers];
        memcpy(values, &raw, kVector);
        for (int n = 0; n < kNumbers; ++n) {
            target[i * kNumbers + n] = rounded<To>(numberOf(values[n]));
        }
    }
    for (int64_t i = vectors * kNumbers + thread; i < count; i += step) {
        target[i] = rounded<To>(numberOf(source[i]));
    }
}

/// As ATen does it: the value and its scale in the result's type, multiplied, rounded once more.
template <class To>
__global__ void dequantiseKernel(
    To* target, const __nv_fp8_e4m3* values, const float* scales, int64_t count, int64_t columns) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        const float scale = numberOf(rounded<To>(scales[i / columns]));
        target[i] = rounded<To>(numberOf(rounded<To>(numberOf(values[i]))) * scale);
    }
}

__global__ void toLevelsKernel(uint8_t* target, const float* source, int64_t pixels) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const float* image = source + blockIdx.y * 3 * pixels;
    uint8_t* result = target + blockIdx.y * 3 * pixels;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < pixels;
         i += step) {
        for (int channel = 0; channel < 3; ++channel) {
            const float value = image[channel * pixels + i];
            const float level = fminf(fmaxf(value, 0.0F), 1.0F) * 255.0F;
            result[3 * i + channel] = static_cast<uint8_t>(__float2int_rn(level));
        }
    }
}

int blocksFor(int64_t count, int64_t most) {
    return static_cast<int>(std::clamp<int64_t>((count + kThreads - 1) / kThreads, 1, most));
}

template <class From, class To>
cudaError_t launchWiden(const Widening& work, cudaStream_t stream) {
    const int blocks =
        blocksFor(work.count * static_cast<int64_t>(sizeof(From)) / kVector, kWideningBlocks);
    widenKernel<<<blocks, kThreads, 0, stream>>>(
        reinterpret_cast<To*>(work.target), reinterpret_cast<const From*>(work.source), work.count);
    return cudaGetLastError();
}

template <class From>
cudaError_t widenFrom(const Widening& work, cudaStream_t stream) {
    switch (work.to) {
        case DType::F32:
            return launchWiden<From, float>(work, stream);
        case DType::F16:
            return launchWiden<From, __half>(work, stream);
        default:
            return launchWiden<From, __nv_bfloat16>(work, stream);
    }
}

template <class To>
cudaError_t launchDequantise(const ScaledRows& work, cudaStream_t stream) {
    const int64_t count = work.rows * work.columns;
    dequantiseKernel<<<blocksFor(count, kMostBlocks), kThreads, 0, stream>>>(
        static_cast<To*>(work.target),
        static_cast<const __nv_fp8_e4m3*>(work.values),
        work.scales,
        count,
        work.columns);
    return cudaGetLastError();
}

}  // namespace

bool hasOwnKernels() noexcept {
    return true;
}

const char* kernelsText() noexcept {
    return "nvcc " LOWTIDE_TEXT(__CUDACC_VER_MAJOR__) "." LOWTIDE_TEXT(
        __CUDACC_VER_MINOR__) " for " LOWTIDE_CUDA_GPUS;
}

bool canWiden(DType from, DType to) noexcept {
    const bool isNarrow =
        from == DType::F8E4M3 || from == DType::F8E5M2 || from == DType::F16 || from == DType::BF16;
    const bool isFloat = to == DType::F32 || to == DType::F16 || to == DType::BF16;
    return isNarrow && isFloat && sizeOf(from) < sizeOf(to);
}

cudaError_t widen(const Widening& widening, cudaStream_t stream) {
    switch (widening.from) {
        case DType::F8E4M3:
            return widenFrom<__nv_fp8_e4m3>(widening, stream);
        case DType::F8E5M2:
            return widenFrom<__nv_fp8_e5m2>(widening, stream);
        case DType::F16:
            return launchWiden<__half, float>(widening, stream);
        default:
            return launchWiden<__nv_bfloat16, float>(widening, stream);
    }
}

cudaError_t dequantise(const ScaledRows& rows, cudaStream_t stream) {
    switch (rows.type) {
        case DType::F32:
            return launchDequantise<float>(rows, stream);
        case DType::F16:
            return launchDequantise<__half>(rows, stream);
        default:
            return launchDequantise<__nv_bfloat16>(rows, stream);
    }
}

cudaError_t toLevels(const Levels& levels, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(blocksFor(levels.pixels, kMostBlocks)),
                    static_cast<unsigned>(levels.batch));
    toLevelsKernel<<<grid, kThreads, 0, stream>>>(levels.target, levels.source, levels.pixels);
    return cudaGetLastError();
}

}  // namespace lowtide::residency
