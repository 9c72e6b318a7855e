#pragma once
// What the operators allocate on tensors that have a shape and no values, as the imitated device
// does, and what cuDNN takes for a convolution.

#include "plugin/residency/device/convolution_plan.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/core/Tensor.h>

#include <optional>

namespace lowtide::tensor::kernels::meta {

// What the operators allocate, on tensors that have a shape and no values: results and buffers as
// the imitated device makes them, freed in the same order. Where ATen's own meta operator does so
// already, nothing stands here.

/// Arguments and results as in kernels.hpp; a DryRunMeter must live on this thread.
[[nodiscard]] at::Tensor conv2d(const at::Tensor& x,
                                const at::Tensor& weight,
                                int64_t stride,
                                int64_t padding);
/// upsampledConv2d() of ours, to twice the size.
[[nodiscard]] at::Tensor doubledConv2d(const at::Tensor& x, const at::Tensor& weight);
/// conv2dOver() of ours.
[[nodiscard]] at::Tensor conv2dOver(const at::Tensor& x, const at::Tensor& weight);
/// What addedConv2d() of ours takes in addition to its target.
void addConv2d(const at::Tensor& x, const at::Tensor& weight);
[[nodiscard]] at::Tensor linear(const at::Tensor& x, const at::Tensor& weight);
/// addProduct() takes nothing in addition to its target.
void addProduct(const at::Tensor& left, const at::Tensor& right);
[[nodiscard]] at::Tensor groupNorm(const at::Tensor& x, int64_t groups);
/// Ours, over a tensor in channels_last.
[[nodiscard]] at::Tensor groupNormOver(at::Tensor x);
[[nodiscard]] at::Tensor layerNorm(const at::Tensor& x);
/// Ours, of [N, W].
[[nodiscard]] at::Tensor rmsNorm(const at::Tensor& rows);
/// `isMasked`: causal, or with a bias.
[[nodiscard]] at::Tensor attention(const at::Tensor& q,
                                   const at::Tensor& k,
                                   const at::Tensor& v,
                                   bool isMasked);
[[nodiscard]] at::Tensor upsampleNearest(const at::Tensor& x, int64_t height, int64_t width);
[[nodiscard]] at::Tensor deviation(const at::Tensor& x);
/// One axis of resample() of ours.
[[nodiscard]] at::Tensor resampledAxis(const at::Tensor& x,
                                       int64_t axis,
                                       int64_t length,
                                       Resample filter);

}  // namespace lowtide::tensor::kernels::meta

namespace lowtide::tensor {

/// Whom dry runs for a CUDA GPU ask about convolutions from now on; empty: nobody. Any thread.
void setConvolutionQuestion(residency::ConvolutionQuestion question);

/// Bytes that cuDNN takes for the time of a convolution of contiguous tensors [B, C, H, W] and
/// [O, C, h, w] on the CUDA device of index `gpu` under LibTorch's switches of now; nothing:
/// nobody to ask, no answer, or cuDNN may try many algorithms.
[[nodiscard]] std::optional<Bytes> cudnnWorkspace(
    const at::Tensor& input, const at::Tensor& weight, int64_t stride, int64_t padding, int gpu);

/// Before a convolution on a CUDA GPU: c10::OutOfMemoryError where the GPU has no memory for its
/// result and the workspace that cuDNN reported. Short of memory cuDNN would take another
/// algorithm, with other bits, and LibTorch would go on with that one as long as the thread lives.
void requireConvolutionFits(const at::Tensor& input,
                            const at::Tensor& weight,
                            int64_t stride,
                            int64_t padding);

/// A guess at it: cuDNN's products are of pixels with the channels last, so it transposes input,
/// kernels and result. What needs more is found after its node (Residency::confirm).
[[nodiscard]] Bytes guessedWorkspace(const at::Tensor& input,
                                     const at::Tensor& weight,
                                     const at::Tensor& result);

}  // namespace lowtide::tensor
