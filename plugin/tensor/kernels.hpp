#pragma once
// Every operator of the networks, behind one interface: ATen's, or ours where they are faster
// (own_operators.hpp, cpu_paths.hpp); on tensors of the meta device each allocates what it would
// and computes nothing (dry_run_meter.hpp).

#include <ATen/core/Tensor.h>

#include <optional>

namespace lowtide::tensor::kernels {

/// x [B, C, H, W], weight [O, C, k, k], bias [O] or undefined.
[[nodiscard]] at::Tensor conv2d(const at::Tensor& x,
                                const at::Tensor& weight,
                                const at::Tensor& bias,
                                int64_t stride,
                                int64_t padding);
/// conv2d of upsampleNearest(x, height, width), with a kernel of 3x3 and a border of one; twice the
/// size is never made where the convolution is ours.
[[nodiscard]] at::Tensor upsampledConv2d(const at::Tensor& x,
                                         int64_t height,
                                         int64_t width,
                                         const at::Tensor& weight,
                                         const at::Tensor& bias);
/// conv2d with a kernel of 3x3 and a border of one, where it can be written over `x`, which nobody
/// else may need.
[[nodiscard]] at::Tensor conv2dOver(at::Tensor x, const at::Tensor& weight, const at::Tensor& bias);
/// target + conv2d with a kernel of 3x3 and a border of one, in `target`, which nobody else may
/// need.
[[nodiscard]] at::Tensor addedConv2d(at::Tensor target,
                                     const at::Tensor& x,
                                     const at::Tensor& weight,
                                     const at::Tensor& bias);
/// x [..., I], weight [O, I], bias [O] or undefined -> [..., O]. On the CPU the weight of f32 rows
/// may have 16 bits (NumericTraits::multipliesHalves).
[[nodiscard]] at::Tensor linear(const at::Tensor& x,
                                const at::Tensor& weight,
                                const at::Tensor& bias);
/// linear() of every row [T, I] of x [R, T, I] apart: a row's bits do not depend on the others.
[[nodiscard]] at::Tensor linearOfRows(const at::Tensor& x,
                                      const at::Tensor& weight,
                                      const at::Tensor& bias);
/// target + factor left right, in `target` [n, m], f32, row-major or transposed; left [n, k], right
/// [k, m]. All three must begin at a line of the cache, as what ATen allocates does: where rows or
/// columns are few, MKL's bits depend on it.
void addProduct(at::Tensor& target, const at::Tensor& left, const at::Tensor& right, double factor);
[[nodiscard]] at::Tensor groupNorm(const at::Tensor& x,
                                   int64_t groups,
                                   const at::Tensor& weight,
                                   const at::Tensor& bias,
                                   double epsilon);
/// silu(groupNorm(x + added)) with `added` [B, C] or undefined.
[[nodiscard]] at::Tensor activatedNorm(const at::Tensor& x,
                                       const at::Tensor& added,
                                       int64_t groups,
                                       const at::Tensor& weight,
                                       const at::Tensor& bias,
                                       double epsilon);
/// The same, where it can be written over `x`, which nobody else may need.
[[nodiscard]] at::Tensor activatedNormOver(at::Tensor x,
                                           const at::Tensor& added,
                                           int64_t groups,
                                           const at::Tensor& weight,
                                           const at::Tensor& bias,
                                           double epsilon);
/// Normalises the last axis; `weight` and `bias` may be undefined.
[[nodiscard]] at::Tensor layerNorm(const at::Tensor& x,
                                   const at::Tensor& weight,
                                   const at::Tensor& bias,
                                   double epsilon);
/// x / sqrt(mean of x^2 over the last axis + epsilon) * weight, computed in f32 and rounded once;
/// `weight` may be undefined. Source: Zhang and Sennrich 2019; torch.nn.RMSNorm.
[[nodiscard]] at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
/// Channels of every pixel at length 1, times sqrt(C) and weight [C]; x [B, C, H, W], computed in
/// f32. Source: Zhang and Sennrich 2019, over channels.
[[nodiscard]] at::Tensor pixelNorm(const at::Tensor& x, const at::Tensor& weight);
[[nodiscard]] at::Tensor silu(const at::Tensor& x);
/// Exact (erf) form.
[[nodiscard]] at::Tensor gelu(const at::Tensor& x);
/// The form with tanh. Source: Hendrycks and Gimpel 2016.
[[nodiscard]] at::Tensor tanhGelu(const at::Tensor& x);
/// x * sigmoid(1.702 x). Source: CLIP, transformers QuickGELUActivation.
[[nodiscard]] at::Tensor quickGelu(const at::Tensor& x);
/// q, k, v [B, heads, T, d]; softmax(q k^T / sqrt(d)) v. `causal`: token t sees tokens <= t.
[[nodiscard]] at::Tensor attention(const at::Tensor& q,
                                   const at::Tensor& k,
                                   const at::Tensor& v,
                                   bool causal);
/// The same with `bias` [Tq, Tk] f32 added to the scores; -inf hides a token. Every query must see
/// one.
[[nodiscard]] at::Tensor biasedAttention(const at::Tensor& q,
                                         const at::Tensor& k,
                                         const at::Tensor& v,
                                         const at::Tensor& bias);
/// softmax(q k^T + scores) v, with `scores` [B or 1, heads or 1, Tq, Tk] f32; -inf hides a token.
/// Every query must see one.
[[nodiscard]] at::Tensor scoredAttention(const at::Tensor& q,
                                         const at::Tensor& k,
                                         const at::Tensor& v,
                                         const at::Tensor& scores);
/// Rows of table [N, W] by their numbers, int64 [M]: [M, W].
[[nodiscard]] at::Tensor takenRows(const at::Tensor& table, const at::Tensor& rows);
/// x where it is positive, else slope x. Written over `x`, which nobody else may need.
[[nodiscard]] at::Tensor leakyRelu(at::Tensor x, double slope);
/// The mean of squares of 2 x 2 pixels: [B, C, H, W] to half the size, rounded up; at an odd edge
/// of those that are there.
[[nodiscard]] at::Tensor averagePool(const at::Tensor& x);
/// [B, C, H, W] to an exact size by the nearest source pixel (ATen's "nearest").
[[nodiscard]] at::Tensor upsampleNearest(const at::Tensor& x, int64_t height, int64_t width);

/// Squares of pixels become channels: [B, C, f H, f W] -> [B, C f f, H, W]; `x` itself when f is 1.
/// Source: Shi et al. 2016, the inverse of their eq. 4.
[[nodiscard]] at::Tensor pixelUnshuffle(const at::Tensor& x, int64_t factor);
/// [..., H, W] with so many columns at the right and rows at the bottom more, a mirror image of
/// what lies inside of the border (the border itself comes once); `x` itself when none are asked.
[[nodiscard]] at::Tensor padReflected(const at::Tensor& x, int64_t right, int64_t bottom);

/// Standard deviation of each image, unbiased: x [B, C, H, W] -> [B, 1, 1, 1].
[[nodiscard]] at::Tensor deviation(const at::Tensor& x);

/// Filters of image resizing, as Pillow defines them.
enum class Resample : uint8_t { Area, Bicubic, Lanczos };
/// pixels [B, 3, H, W] in 0..1 to a new size; two separable passes. Source: Pillow Resample.c (BOX,
/// BICUBIC a = -0.5, LANCZOS with three lobes), antialiased when shrinking. The result is clamped
/// to 0..1.
[[nodiscard]] at::Tensor resample(const at::Tensor& pixels,
                                  int64_t height,
                                  int64_t width,
                                  Resample filter);

}  // namespace lowtide::tensor::kernels
