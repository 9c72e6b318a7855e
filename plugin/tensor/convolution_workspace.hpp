#pragma once

#include "plugin/residency/device/convolution_plan.hpp"

#include <ATen/core/Tensor.h>

#include <optional>

namespace lowtide::tensor {

/// Whom walks on a CUDA card ask about convolutions from now on; empty: nobody. Any thread.
void setConvolutionQuestion(residency::ConvolutionQuestion question);

/// Bytes that cuDNN takes for the time of a convolution of contiguous tensors [B, C, H, W] and
/// [O, C, h, w] on the CUDA device of index `card` under LibTorch's switches of now; nothing:
/// nobody to ask, no answer, or cuDNN may try many algorithms.
[[nodiscard]] std::optional<Bytes> toldWorkspace(
    const at::Tensor& input, const at::Tensor& weight, int64_t stride, int64_t padding, int card);

/// Before a convolution on a CUDA card: c10::OutOfMemoryError where the card has no room for its
/// result and what cuDNN said that it takes. Short of room cuDNN would take another algorithm, with
/// other bits, and LibTorch would go on with that one as long as the thread lives.
void requireConvolutionFits(const at::Tensor& input,
                            const at::Tensor& weight,
                            int64_t stride,
                            int64_t padding);

/// A guess at it: cuDNN's products are of pixels with the channels last, so it turns input, kernels
/// and result. What needs more is found after its node (Residency::confirm).
[[nodiscard]] Bytes guessedWorkspace(const at::Tensor& input,
                                     const at::Tensor& weight,
                                     const at::Tensor& result);

}  // namespace lowtide::tensor
