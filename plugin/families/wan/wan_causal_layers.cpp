#include "plugin/families/wan/wan_causal_layers.hpp"

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

constexpr int64_t kFramesOfKernel = 3;
constexpr int64_t kFramesBefore = kFramesOfKernel - 1;

/// The last frames of what came, for the chunk behind it. A chunk of one frame is kept as it is.
FrameHistory::Frames lastFrames(const FrameHistory::Frames& before, const at::Tensor& x) {
    const int64_t own = std::min(kFramesBefore, x.size(0));
    FrameHistory::Frames last;
    if (own < kFramesBefore && !before.empty()) {
        last.push_back(before.back());
    }
    for (int64_t i = x.size(0) - own; i < x.size(0); ++i) {
        const at::Tensor frame = x.narrow(0, i, 1);
        last.push_back(x.size(0) == 1 ? frame : frame.clone());
    }
    return last;
}

}  // namespace

CausalConv::CausalConv(NetworkBuilder& builder,
                       const std::string& name,
                       HistorySlots& slots,
                       int64_t in,
                       int64_t out,
                       int64_t kernel)
    : leaf(builder.leaf(name + ".",
                        {{.name = "weight", .shape = {out, in, kFramesOfKernel, kernel, kernel}},
                         {.name = "bias", .shape = {out}}})),
      slot(slots.count++),
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

at::Tensor CausalConv::apply(Forward& forward, const at::Tensor& x, FrameHistory& history) const {
    const residency::Lease lease = forward.use(leaf);
    const at::Tensor input = x.to(lease[0].scalar_type());
    const auto tap = [&](int64_t frame) { return lease[0].select(2, frame).contiguous(); };
    const at::Tensor sum = kernels::conv2d(input, tap(kFramesBefore), lease[1], 1, padding);
    FrameHistory::Frames& before = history.frames[slot];
    const auto known = static_cast<int64_t>(before.size());
    for (int64_t back = 1; back <= kFramesBefore; ++back) {  // frames between input and output
        const at::Tensor weight = tap(kFramesBefore - back);
        if (const int64_t own = input.size(0) - back; own > 0) {
            addTap(sum, back, input.narrow(0, 0, own), weight);
        }
        for (int64_t i = std::max<int64_t>(0, back - known); i < std::min(back, input.size(0));
             ++i) {
            addTap(sum, i, before[static_cast<size_t>(known + i - back)], weight);
        }
    }
    before = lastFrames(before, input);
    return sum.to(x.scalar_type());
}

PixelProduct::PixelProduct(
    NetworkBuilder& builder, const std::string& name, int64_t in, int64_t out, bool hasFrameAxis)
    : leaf(builder.leaf(name + ".",
                        {{.name = "weight",
                          .shape = hasFrameAxis ? Shape{out, in, 1, 1, 1} : Shape{out, in, 1, 1}},
                         {.name = "bias", .shape = {out}}})) {}

at::Tensor PixelProduct::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
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

at::Tensor PixelNorm::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::pixelNorm(x, lease[0].flatten());
}

at::Tensor PixelNorm::applyActivated(Forward& forward, const at::Tensor& x) const {
    at::Tensor normed = apply(forward, x);
    return at::silu_(normed);
}

}  // namespace lowtide::models
