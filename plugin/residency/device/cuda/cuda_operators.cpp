// Our kernels behind operators that the dispatcher knows: everywhere else they are ATen's.
#include "plugin/residency/device/cuda/cuda_operators.hpp"

#include "plugin/residency/device/cuda/cuda_kernels.hpp"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

namespace lowtide::residency {

namespace {

/// f32 [B, 3, H, W] -> uint8 [B, H, W, 3].
at::Tensor levelsOnCard(const at::Tensor& pixels) {
    const at::Tensor source = pixels.contiguous();
    at::Tensor result = at::empty({source.size(0), source.size(2), source.size(3), 3},
                                  source.options().dtype(at::kByte));
    const c10::cuda::CUDAGuard guard(source.device());
    C10_CUDA_CHECK(toLevels({.target = result.mutable_data_ptr<uint8_t>(),
                             .source = source.const_data_ptr<float>(),
                             .batch = source.size(0),
                             .pixels = source.size(2) * source.size(3)},
                            c10::cuda::getCurrentCUDAStream().stream()));
    return result;
}

torch::Library makeLibrary() {
    torch::Library library(
        torch::Library::IMPL, "lowtide", c10::DispatchKey::CUDA, __FILE__, __LINE__);
    if (hasOwnKernels()) {
        library.impl("levels", levelsOnCard);
    }
    return library;
}

}  // namespace

void registerCudaOperators() {
    static const torch::Library* const registered =
        std::make_unique<torch::Library>(makeLibrary()).release();
    static_cast<void>(registered);
}

}  // namespace lowtide::residency
