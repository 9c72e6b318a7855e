#include "plugin/tensor/kernels.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/own_operators.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace lowtide::tensor::kernels {

namespace {

std::optional<at::Tensor> orNothing(const at::Tensor& value) {
    return value.defined() ? std::optional<at::Tensor>(value) : std::nullopt;
}

/// A convolution of single pixels is a product: with the channels last nothing is reordered.
at::Tensor convolvePixels(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const at::Tensor pixels =
        x.contiguous(at::MemoryFormat::ChannelsLast).permute({0, 2, 3, 1});  // -> [B, H, W, C]
    return linear(pixels, weight.flatten(1), bias).permute({0, 3, 1, 2});    // -> [B, O, H, W]
}

/// Of f32 on the CPU. MKL multiplies one row by other instructions than several, with bits that
/// depend on where the weight begins within a line of the cache: in a mapped file anywhere.
bool isOneRow(const at::Tensor& x) {
    const bool isCuda = x.is_cuda() || (x.is_meta() && DryRunMeter::isOnCuda());
    return !isCuda && x.scalar_type() == at::kFloat && x.numel() == x.size(-1);
}

/// The row four times: four rows have the same bits wherever the weight begins.
at::Tensor linearOfOneRow(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    constexpr int64_t kRows = 4;
    at::Tensor rows = at::empty({kRows, x.size(-1)}, x.options());
    rows.copy_(x.reshape({1, x.size(-1)}));
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    return linear(rows, weight, bias).narrow(0, 0, 1).clone().view(sizes);
}

}  // namespace

at::Tensor conv2d(const at::Tensor& x,
                  const at::Tensor& weight,
                  const at::Tensor& bias,
                  int64_t stride,
                  int64_t padding) {
    const bool isOurs = own::takesConvolution(x);
    if (isOurs && own::isOfPixels(weight, stride, padding)) {
        return convolvePixels(x, weight, bias);
    }
    if (x.is_meta()) {
        return meta::conv2d(x, weight, stride, padding);
    }
    if (!isOurs) {
        const at::Tensor input = x.contiguous();
        if (input.is_cuda()) {
            requireConvolutionFits(input, weight, stride, padding);
        }
        return at::conv2d(input, weight, orNothing(bias), stride, padding);
    }
    return own::isWinograd(x, weight, stride, padding)
               ? own::convolve3x3(x, weight, bias)
               : own::convolveColumns(x, weight, bias, stride, padding);
}

at::Tensor upsampledConv2d(const at::Tensor& x,
                           int64_t height,
                           int64_t width,
                           const at::Tensor& weight,
                           const at::Tensor& bias) {
    const bool isDoubled = height == 2 * x.size(2) && width == 2 * x.size(3);
    if (!isDoubled || !own::takesConvolution(x) || !own::isWinograd(x, weight, 1, 1)) {
        return conv2d(upsampleNearest(x, height, width), weight, bias, 1, 1);
    }
    return x.is_meta() ? meta::doubledConv2d(x, weight) : own::convolve3x3(x, weight, bias, 2);
}

at::Tensor conv2dOver(at::Tensor x, const at::Tensor& weight, const at::Tensor& bias) {
    if (!own::takesConvolutionOver(x, weight)) {
        return conv2d(x, weight, bias, 1, 1);
    }
    return x.is_meta() ? meta::conv2dOver(x, weight) : own::convolve3x3Over(x, weight, bias);
}

at::Tensor addedConv2d(at::Tensor target,
                       const at::Tensor& x,
                       const at::Tensor& weight,
                       const at::Tensor& bias) {
    const bool isOurs = own::takesConvolution(x) && own::isWinograd(x, weight, 1, 1) &&
                        target.is_contiguous(at::MemoryFormat::ChannelsLast) &&
                        target.scalar_type() == at::kFloat;
    if (!isOurs) {
        return target.add_(conv2d(x, weight, bias, 1, 1));
    }
    if (x.is_meta()) {
        meta::addConv2d(x, weight);
    } else {
        own::addConvolution3x3(x, weight, bias, target);
    }
    return target;
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (own::takesProduct(x, weight)) {
        return x.is_meta() ? meta::linear(x, weight) : own::multiply(x, weight, bias);
    }
    if (isOneRow(x)) {
        return linearOfOneRow(x, weight, bias);
    }
    if (x.is_meta()) {
        return meta::linear(x, weight);
    }
    return at::linear(x, weight, orNothing(bias));
}

at::Tensor linearOfRows(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (own::takesProduct(x, weight)) {
        return linear(x, weight, bias);
    }
    const bool areSingle = isOneRow(x.select(0, 0));
    if (x.size(0) == 1 || (x.is_meta() && !areSingle)) {
        return linear(x, weight, bias);
    }
    at::Tensor result = at::empty({x.size(0), x.size(1), weight.size(0)}, x.options());
    if (areSingle) {
        for (int64_t i = 0; i < x.size(0); ++i) {
            result.select(0, i).copy_(linear(x.select(0, i), weight, bias));
        }
        return result;
    }
    const at::Tensor turned = weight.t();
    for (int64_t i = 0; i < x.size(0); ++i) {
        at::Tensor row = result.select(0, i);
        bias.defined() ? at::addmm_out(row, bias, x.select(0, i), turned)
                       : at::mm_out(row, x.select(0, i), turned);
    }
    return result;
}

void addProduct(at::Tensor& target,
                const at::Tensor& left,
                const at::Tensor& right,
                double factor) {
    if (target.is_meta()) {
        meta::addProduct(left, right);
    } else {
        target.addmm_(left, right, /*beta=*/1, /*alpha=*/factor);
    }
}

at::Tensor groupNorm(const at::Tensor& x,
                     int64_t groups,
                     const at::Tensor& weight,
                     const at::Tensor& bias,
                     double epsilon) {
    if (x.is_meta()) {
        return meta::groupNorm(x, groups);
    }
    if (own::takesGroupNorm(x)) {
        return own::normGroups(x, {}, groups, weight, bias, epsilon, false);
    }
    return at::group_norm(x, groups, orNothing(weight), orNothing(bias), epsilon);
}

at::Tensor activatedNorm(const at::Tensor& x,
                         const at::Tensor& added,
                         int64_t groups,
                         const at::Tensor& weight,
                         const at::Tensor& bias,
                         double epsilon) {
    if (!own::takesGroupNorm(x)) {
        const at::Tensor sum = added.defined() ? x + added.unsqueeze(-1).unsqueeze(-1) : x;
        return at::silu(groupNorm(sum, groups, weight, bias, epsilon));
    }
    return x.is_meta() ? meta::groupNorm(x, groups)
                       : own::normGroups(x, added, groups, weight, bias, epsilon, true);
}

at::Tensor activatedNormOver(at::Tensor x,
                             const at::Tensor& added,
                             int64_t groups,
                             const at::Tensor& weight,
                             const at::Tensor& bias,
                             double epsilon) {
    if (!own::takesGroupNorm(x) || !x.is_contiguous(at::MemoryFormat::ChannelsLast)) {
        return activatedNorm(x, added, groups, weight, bias, epsilon);
    }
    return x.is_meta() ? meta::groupNormOver(std::move(x))
                       : own::normGroupsOver(std::move(x), added, groups, weight, bias, epsilon);
}

at::Tensor layerNorm(const at::Tensor& x,
                     const at::Tensor& weight,
                     const at::Tensor& bias,
                     double epsilon) {
    if (x.is_meta()) {
        return meta::layerNorm(x);
    }
    return at::layer_norm(x, {x.size(-1)}, orNothing(weight), orNothing(bias), epsilon);
}

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    const at::Tensor rows = x.reshape({-1, x.size(-1)});
    if (own::takesRowNorm(rows, weight)) {
        return (x.is_meta() ? meta::rmsNorm(rows) : own::normRows(rows, weight, epsilon))
            .view(x.sizes());
    }
    constexpr int64_t kNumbersAtOnce = int64_t{1} << 22;  // in f32, beyond the result: remain few
    const int64_t rowsAtOnce = std::max<int64_t>(1, kNumbersAtOnce / x.size(-1));
    at::Tensor result = at::empty(rows.sizes(), rows.options());
    for (int64_t first = 0; first < rows.size(0); first += rowsAtOnce) {
        const int64_t count = std::min(rowsAtOnce, rows.size(0) - first);
        const at::Tensor exact = rows.narrow(0, first, count).to(at::kFloat);
        const at::Tensor scale = exact.square().mean({-1}, /*keepdim=*/true).add_(epsilon).rsqrt_();
        at::Tensor normed = exact.mul(scale);
        if (weight.defined()) {
            normed.mul_(weight.to(at::kFloat));
        }
        result.narrow(0, first, count).copy_(normed);
    }
    return result.view(x.sizes());
}

at::Tensor pixelNorm(const at::Tensor& x, const at::Tensor& weight) {
    constexpr double kLeastLength = 1e-12;
    const at::Tensor exact = x.to(at::kFloat);
    at::Tensor scale = at::linalg_vector_norm(exact, 2, {1}, /*keepdim=*/true);
    scale.clamp_min_(kLeastLength).reciprocal_().mul_(std::sqrt(static_cast<double>(x.size(1))));
    return exact.mul(scale).mul_(weight.to(at::kFloat).view({1, -1, 1, 1})).to(x.scalar_type());
}

at::Tensor silu(const at::Tensor& x) {
    return at::silu(x);
}

at::Tensor gelu(const at::Tensor& x) {
    return at::gelu(x);
}

at::Tensor tanhGelu(const at::Tensor& x) {
    return at::gelu(x, "tanh");
}

at::Tensor quickGelu(const at::Tensor& x) {
    return x * at::sigmoid(x * 1.702);
}

at::Tensor leakyRelu(at::Tensor x, double slope) {
    at::leaky_relu_(x, slope);
    return x;
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal) {
    if (q.is_meta()) {
        return meta::attention(q, k, v, causal);
    }
    if (!causal && own::takesAttention(q, k, v)) {
        return own::attend(q, k, v);
    }
    return at::scaled_dot_product_attention(q, k, v, std::nullopt, 0.0, causal);
}

at::Tensor biasedAttention(const at::Tensor& q,
                           const at::Tensor& k,
                           const at::Tensor& v,
                           const at::Tensor& bias) {
    if (q.is_meta()) {
        return meta::attention(q, k, v, true);
    }
    return at::scaled_dot_product_attention(q, k, v, bias);
}

at::Tensor scoredAttention(const at::Tensor& q,
                           const at::Tensor& k,
                           const at::Tensor& v,
                           const at::Tensor& scores) {
    const at::Tensor typed = scores.to(q.scalar_type());
    if (q.is_meta()) {
        return meta::attention(q, k, v, true);
    }
    return at::scaled_dot_product_attention(
        q, k, v, typed, 0.0, /*is_causal=*/false, /*scale=*/1.0);
}

at::Tensor takenRows(const at::Tensor& table, const at::Tensor& rows) {
    if (table.is_meta()) {
        return at::empty({rows.numel(), table.size(1)}, table.options());
    }
    return at::index_select(table, 0, rows);
}

at::Tensor averagePool(const at::Tensor& x) {
    return at::avg_pool2d(x, {2, 2}, {2, 2}, {0, 0}, /*ceil_mode=*/true);
}

at::Tensor upsampleNearest(const at::Tensor& x, int64_t height, int64_t width) {
    if (x.is_meta()) {
        return meta::upsampleNearest(x, height, width);
    }
    return at::upsample_nearest2d(x, {height, width});
}

at::Tensor deviation(const at::Tensor& x) {
    std::vector<int64_t> axes(static_cast<size_t>(x.dim()) - 1);
    std::iota(axes.begin(), axes.end(), 1);
    return x.is_meta() ? meta::deviation(x) : at::std(x, axes, /*unbiased=*/true, /*keepdim=*/true);
}

namespace {

/// The index below `count` that a mirror at both ends shows at `index`.
int64_t mirrored(int64_t index, int64_t count) {
    const int64_t period = std::max<int64_t>(2 * (count - 1), 1);
    index %= period;
    return index < count ? index : period - index;
}

/// Slices, not an index: the same on every device, and on shapes alone.
at::Tensor extended(const at::Tensor& x, int64_t axis, int64_t more) {
    if (more == 0) {
        return x;
    }
    const int64_t count = x.size(axis);
    std::vector<at::Tensor> parts{x};
    for (int64_t index = count; index < count + more; ++index) {
        parts.push_back(x.narrow(axis, mirrored(index, count), 1));
    }
    return at::cat(parts, axis);
}

}  // namespace

at::Tensor pixelUnshuffle(const at::Tensor& x, int64_t factor) {
    LOWTIDE_ASSERT(x.dim() == 4 && x.size(2) % factor == 0 && x.size(3) % factor == 0);
    if (factor == 1) {
        return x;
    }
    const int64_t height = x.size(2) / factor;
    const int64_t width = x.size(3) / factor;
    return x.reshape({x.size(0), x.size(1), height, factor, width, factor})
        .permute({0, 1, 3, 5, 2, 4})  // [B, C, H, f, W, f] -> [B, C, f, f, H, W]
        .reshape({x.size(0), x.size(1) * factor * factor, height, width});
}

at::Tensor padReflected(const at::Tensor& x, int64_t right, int64_t bottom) {
    LOWTIDE_ASSERT(x.dim() >= 2 && right >= 0 && bottom >= 0);
    return extended(extended(x, x.dim() - 1, right), x.dim() - 2, bottom);
}

}  // namespace lowtide::tensor::kernels
