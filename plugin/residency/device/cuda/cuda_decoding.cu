#include "plugin/residency/decoding/gpu_units.hpp"
#include "plugin/residency/device/cuda/cuda_kernels.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

namespace lowtide::residency {

namespace {

constexpr int kThreads = 128;
constexpr int kRotatingThreads = Rotated::kElements / 4;
constexpr int64_t kMostBlocks = 65536;

struct Target {
    void* numbers = nullptr;
    DType type = DType::F32;
};

/// Rounded to nearest even.
__device__ void store(const Target& target, int64_t index, float number) {
    if (target.type == DType::F32) {
        static_cast<float*>(target.numbers)[index] = number;
    } else if (target.type == DType::F16) {
        static_cast<__half*>(target.numbers)[index] = __float2half_rn(number);
    } else {
        static_cast<__nv_bfloat16*>(target.numbers)[index] = __float2bfloat16_rn(number);
    }
}

/// Each thread decodes a unit; then all write what they made in the order of the numbers.
template <typename Unit>
__global__ void decodeKernel(StoredOnGpu stored, Target target) {
    constexpr int kNumbers = Unit::kElements;
    constexpr int kApart = kNumbers + 1;  // threads that write at once meet no bank twice
    constexpr int kTile = kThreads * kNumbers;
    __shared__ float tile[kThreads * kApart];
    for (int64_t begin = static_cast<int64_t>(blockIdx.x) * kTile; begin < stored.count;
         begin += static_cast<int64_t>(gridDim.x) * kTile) {
        const int64_t unit = begin / kNumbers + threadIdx.x;
        if (unit * kNumbers < stored.count) {
            Unit::decode(stored, unit, tile + threadIdx.x * kApart);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < kTile && begin + i < stored.count; i += kThreads) {
            store(target, begin + i, tile[i / kNumbers * kApart + i % kNumbers]);
        }
        __syncthreads();
    }
}

__global__ void decodeRotatedKernel(StoredOnGpu stored, Target target) {
    __shared__ int32_t sums[Rotated::kElements];
    for (int64_t begin = static_cast<int64_t>(blockIdx.x) * Rotated::kElements;
         begin < stored.count;
         begin += static_cast<int64_t>(gridDim.x) * Rotated::kElements) {
        for (int i = threadIdx.x; i < Rotated::kElements; i += kRotatingThreads) {
            const bool isThere = begin + i < stored.count;
            sums[i] = isThere ? static_cast<int8_t>(stored.byteAt(begin + i)) : 0;
        }
        for (int step = 1; step < stored.blockElements; step *= 4) {
            __syncthreads();
            Rotated::rotate(sums, static_cast<int>(threadIdx.x), step);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < Rotated::kElements && begin + i < stored.count;
             i += kRotatingThreads) {
            store(target, begin + i, Rotated::scaled(stored, begin + i, sums[i]));
        }
        __syncthreads();
    }
}

unsigned blocksFor(int64_t count, int64_t tile) {
    return static_cast<unsigned>(std::clamp<int64_t>((count + tile - 1) / tile, 1, kMostBlocks));
}

}  // namespace

cudaError_t decode(const GpuDecoding& work, cudaStream_t stream) {
    const StoredOnGpu& stored = work.stored;
    const Target target{.numbers = work.target, .type = work.type};
    if (work.encoding == kRotatedEncoding) {
        const unsigned blocks = blocksFor(stored.count, Rotated::kElements);
        decodeRotatedKernel<<<blocks, kRotatingThreads, 0, stream>>>(stored, target);
        return cudaGetLastError();
    }
    withGpuDecoder(work.encoding, [&](const auto& way) {
        using Unit = typename std::decay_t<decltype(way)>::Unit;
        const unsigned blocks = blocksFor(stored.count, kThreads * Unit::kElements);
        decodeKernel<Unit><<<blocks, kThreads, 0, stream>>>(stored, target);
    });
    return cudaGetLastError();
}

}  // namespace lowtide::residency
