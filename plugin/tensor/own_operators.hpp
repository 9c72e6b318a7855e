#pragma once
// Our own operators of the CPU, f32, known to ATen's dispatcher; bits depend neither on threads nor
// on what else is in a batch.

#include <ATen/core/Tensor.h>

#include <optional>

namespace lowtide::tensor::own {

// Our own operators of the CPU, f32. They are known to ATen's dispatcher, so that devices that run
// the CPU's operators run them too. Bits depend neither on threads nor on what else is in a batch.

/// Whether convolutions of `x` are ours: by one of the three ways below.
[[nodiscard]] bool takesConvolution(const at::Tensor& x);
/// 3x3, stride 1, a border of one, images of at least 8x8: convolve3x3() is the fastest.
[[nodiscard]] bool isWinograd(const at::Tensor& x,
                              const at::Tensor& weight,
                              int64_t stride,
                              int64_t padding);
/// Of single pixels: a product, with the channels last.
[[nodiscard]] bool isOfPixels(const at::Tensor& weight, int64_t stride, int64_t padding);
[[nodiscard]] bool takesAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);
[[nodiscard]] bool takesGroupNorm(const at::Tensor& x);

/// `x` [B, C, H, W] with the channels of a pixel side by side and pixels at equal distances (some
/// channels of a larger tensor): itself, or a copy in channels_last.
[[nodiscard]] at::Tensor withChannelsLast(const at::Tensor& x);

/// rmsNorm of f32 rows, on a path of ours.
[[nodiscard]] bool takesRowNorm(const at::Tensor& x, const at::Tensor& weight);

/// f32 rows and a matrix in 16 bits, on a path of ours.
[[nodiscard]] bool takesProduct(const at::Tensor& x, const at::Tensor& weight);

/// Numbers of scratch memory that they allocate at once.
[[nodiscard]] int64_t convolutionScratch(const at::Tensor& x,
                                         const at::Tensor& weight,
                                         int64_t repeat = 1,
                                         bool isOver = false);
[[nodiscard]] int64_t attentionScratch(int64_t width);
[[nodiscard]] int64_t groupNormScratch(const at::Tensor& x);
[[nodiscard]] int64_t productScratch();

/// The convolution that isWinograd() accepts, by Winograd's F(4x4, 3x3); the result is in
/// channels_last. With `repeat` 2 each pixel of `x` counts for a square of 2x2, with the bits of
/// the larger image.
[[nodiscard]] at::Tensor convolve3x3(const at::Tensor& x,
                                     const at::Tensor& weight,
                                     const at::Tensor& bias,
                                     int64_t repeat = 1);
/// Whether convolve3x3Over() takes them: what isWinograd() accepts, `x` dense in channels_last, and
/// half as many results or less.
[[nodiscard]] bool takesConvolutionOver(const at::Tensor& x, const at::Tensor& weight);
/// Where the result of convolve3x3Over() lies: [B, O, H, W] in channels_last over the begin of `x`.
[[nodiscard]] at::Tensor broadcastOver(const at::Tensor& x, const at::Tensor& weight);
/// convolve3x3() written over `x`, of which nothing is left; the same bits.
[[nodiscard]] at::Tensor convolve3x3Over(const at::Tensor& x,
                                         const at::Tensor& weight,
                                         const at::Tensor& bias);
/// convolve3x3() added to `result`, which is dense in channels_last; the bits of a sum of both.
void addConvolution3x3(const at::Tensor& x,
                       const at::Tensor& weight,
                       const at::Tensor& bias,
                       at::Tensor& result);
/// Every other convolution (column_convolution.hpp).
[[nodiscard]] at::Tensor convolveColumns(const at::Tensor& x,
                                         const at::Tensor& weight,
                                         const at::Tensor& bias,
                                         int64_t stride,
                                         int64_t padding);
/// softmax(q k^T / sqrt(d)) v; the result lies as [B, T, H, d].
[[nodiscard]] at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

/// x [..., I], weight [O, I] in f16 or bf16, row-major or transposed, bias [O] f32 or undefined
/// -> [..., O]: products and sums in f32, exact weights. A row's bits do not depend on the others.
[[nodiscard]] at::Tensor multiply(const at::Tensor& x,
                                  const at::Tensor& weight,
                                  const at::Tensor& bias);

/// rmsNorm of rows [N, W]; weight [W] or undefined.
[[nodiscard]] at::Tensor normRows(const at::Tensor& rows, const at::Tensor& weight, double epsilon);

/// groupNorm(x + added), then SiLU where `isActivated`; `added` [B, C] or undefined.
[[nodiscard]] at::Tensor normGroups(const at::Tensor& x,
                                    const at::Tensor& added,
                                    int64_t groups,
                                    const at::Tensor& weight,
                                    const at::Tensor& bias,
                                    double epsilon,
                                    bool isActivated);
/// The same, activated, written over `x`, which is dense in channels_last.
[[nodiscard]] at::Tensor normGroupsOver(at::Tensor x,
                                        const at::Tensor& added,
                                        int64_t groups,
                                        const at::Tensor& weight,
                                        const at::Tensor& bias,
                                        double epsilon);

/// Numbers of the rows that are made at once: some MiB, at least a few pixels' rows.
[[nodiscard]] int64_t columnNumbers(const at::Tensor& weight);

/// x [B, C, H, W] with the channels last (withChannelsLast()), weight [O, C, k, k], on the CPU;
/// the result is in channels_last.
[[nodiscard]] at::Tensor convolveByColumns(const at::Tensor& x,
                                           const at::Tensor& weight,
                                           const std::optional<at::Tensor>& bias,
                                           int64_t stride,
                                           int64_t padding);

}  // namespace lowtide::tensor::own
