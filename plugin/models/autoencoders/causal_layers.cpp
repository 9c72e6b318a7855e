#include "plugin/models/autoencoders/causal_layers.hpp"

#include "plugin/models/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

constexpr int64_t kFramesOfKernel = 3;
constexpr int64_t kFramesBefore = kFramesOfKernel - 1;

/// The last frames of what came, for the chunk behind it.
at::Tensor lastFrames(const at::Tensor& before, const at::Tensor& x) {
    const int64_t own = std::min(kFramesBefore, x.size(0));
    const at::Tensor last = x.narrow(0, x.size(0) - own, own);
    if (own == kFramesBefore || !before.defined()) {
        return last.clone();
    }
    return at::cat({before.narrow(0, before.size(0) - 1, 1), last});
}

}  // namespace

CausalConv::CausalConv(NetworkBuilder& builder,
                       const std::string& name,
                       HistoryPlaces& places,
                       int64_t in,
                       int64_t out,
                       int64_t kernel)
    : leaf(builder.leaf(name + ".",
                        {{.name = "weight", .shape = {out, in, kFramesOfKernel, kernel, kernel}},
                         {.name = "bias", .shape = {out}}})),
      place(places.count++),
      padding(kernel / 2) {}

void CausalConv::addTap(const at::Tensor& sum,
                        int64_t first,
                        const at::Tensor& frames,
                        const at::Tensor& weight) const {
    at::Tensor target = sum.narrow(0, first, frames.size(0));
    if (padding == 0) {
        target.add_(kernels::conv2d(frames, weight, {}, 1, 0));
        return;
    }
    const at::Tensor added = kernels::addedConv2d(target, frames, weight, {});
    if (!added.is_same(target)) {
        target.copy_(added);
    }
}

at::Tensor CausalConv::apply(Pass& pass, const at::Tensor& x, FrameHistory& history) const {
    const residency::Lease lease = pass.use(leaf);
    const at::Tensor input = x.to(lease[0].scalar_type());
    const auto tap = [&](int64_t frame) { return lease[0].select(2, frame).contiguous(); };
    const at::Tensor sum = kernels::conv2d(input, tap(kFramesBefore), lease[1], 1, padding);
    const at::Tensor before = history.frames[place];
    const int64_t known = before.defined() ? before.size(0) : 0;
    for (int64_t back = 1; back <= kFramesBefore; ++back) {  // frames between input and output
        const at::Tensor weight = tap(kFramesBefore - back);
        if (const int64_t own = input.size(0) - back; own > 0) {
            addTap(sum, back, input.narrow(0, 0, own), weight);
        }
        const int64_t first = std::max<int64_t>(0, back - known);
        const int64_t count = std::min(back, input.size(0)) - first;
        if (known > 0 && count > 0) {
            addTap(sum, first, before.narrow(0, known + first - back, count), weight);
        }
    }
    history.frames[place] = lastFrames(before, input);
    return sum.to(x.scalar_type());
}

PixelProduct::PixelProduct(
    NetworkBuilder& builder, const std::string& name, int64_t in, int64_t out, bool hasFrameAxis)
    : leaf(builder.leaf(name + ".",
                        {{.name = "weight",
                          .shape = hasFrameAxis ? Shape{out, in, 1, 1, 1} : Shape{out, in, 1, 1}},
                         {.name = "bias", .shape = {out}}})) {}

at::Tensor PixelProduct::apply(Pass& pass, const at::Tensor& x) const {
    const residency::Lease lease = pass.use(leaf);
    const at::Tensor weight = lease[0].view({lease[0].size(0), lease[0].size(1), 1, 1});
    return kernels::conv2d(x.to(weight.scalar_type()), weight, lease[1], 1, 0).to(x.scalar_type());
}

PixelNorm::PixelNorm(NetworkBuilder& builder,
                     const std::string& name,
                     int64_t channels,
                     bool hasFrameAxis)
    : leaf(builder.leaf(
          name + ".",
          {{.name = "gamma",
            .shape = hasFrameAxis ? Shape{channels, 1, 1, 1} : Shape{channels, 1, 1}}})) {}

at::Tensor PixelNorm::apply(Pass& pass, const at::Tensor& x) const {
    const residency::Lease lease = pass.use(leaf);
    return kernels::pixelNorm(x, lease[0].flatten());
}

at::Tensor PixelNorm::applyActivated(Pass& pass, const at::Tensor& x) const {
    at::Tensor normed = apply(pass, x);
    return at::silu_(normed);
}

}  // namespace lowtide::models
