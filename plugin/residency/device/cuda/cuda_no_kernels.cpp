// In place of cuda_kernels.cu where there is no compiler for it.
#include "plugin/residency/device/cuda/cuda_kernels.hpp"

namespace lowtide::residency {

bool hasOwnKernels() noexcept {
    return false;
}

const char* kernelsText() noexcept {
    return "ATen";
}

bool canWiden(DType /*from*/, DType /*to*/) noexcept {
    return false;
}

cudaError_t widen(const Widening& /*widening*/, cudaStream_t /*stream*/) {
    return cudaErrorNotSupported;
}

cudaError_t dequantise(const ScaledRows& /*rows*/, cudaStream_t /*stream*/) {
    return cudaErrorNotSupported;
}

cudaError_t decode(const GpuDecoding& /*work*/, cudaStream_t /*stream*/) {
    return cudaErrorNotSupported;
}

cudaError_t toLevels(const Levels& /*levels*/, cudaStream_t /*stream*/) {
    return cudaErrorNotSupported;
}

}  // namespace lowtide::residency
