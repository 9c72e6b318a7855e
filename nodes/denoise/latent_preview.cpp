#include "nodes/denoise/latent_preview.hpp"

#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

std::chrono::nanoseconds nanoseconds(Seconds seconds) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(seconds));
}

}  // namespace

LatentPreview::LatentPreview(const models::ModelInfo& model,
                             const models::PreviewPace& pace,
                             const Show& show)
    : model_(model), pace_(pace), show_(show), due_(Clock::now() + nanoseconds(pace.interval)) {}

void LatentPreview::look(const std::function<at::Tensor()>& clean,
                         int done,
                         int total,
                         bool isDryRun) {
    const Clock::time_point begin = Clock::now();
    if (begin < due_ && !isDryRun) {
        return;
    }
    at::Tensor one = clean()[0];
    if (model_.latent.hasFrames) {
        one = one.select(1, one.size(1) / 2);  // [C, F, h, w] -> [C, h, w]
    }
    show_({.image = tensor::preview(rgbOf(one, *model_.latentToRgb)),
           .scale = static_cast<int>(model_.latent.factor),
           .done = done,
           .total = total});
    const Clock::time_point end = Clock::now();
    const std::chrono::duration<double> cost = end - begin;
    due_ = end + nanoseconds(pace_.restAfter(cost.count()));
}

}  // namespace lowtide::nodes
