#include "nodes/control/image_prompt_forward.hpp"

#include "plugin/nn/latent_space.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

/// The tokens of the images from `first`, one after another: [1, count T, D].
at::Tensor inARow(const at::Tensor& tokens, int64_t first, int64_t count) {
    return tokens.narrow(0, first, count).reshape({1, -1, tokens.size(2)});
}

at::Tensor tokenRowsOf(const at::Tensor& row, int64_t count) {
    return row.expand({count, -1, -1});
}

}  // namespace

ImagePromptForward::ImagePromptForward(const ImagePrompts& prompts,
                                       const models::SpareCalls& calls,
                                       c10::Device device)
    : calls_(calls) {
    for (const ImagePromptEntry& entry : prompts.entries()) {
        active_.push_back({.entry = &entry,
                           .adapter = prompts.indexOf(entry),
                           .tokens = tensor::upload(entry.tokens, device),
                           .mask = tensor::upload(entry.mask, device)});
    }
}

bool ImagePromptForward::isActiveIn(const ActivePrompt& active, int call) const {
    return active.entry->settings.influence.isFeltIn(call, calls_.count);
}

uint64_t ImagePromptForward::activeIn(int call, uint64_t seed) const {
    constexpr uint64_t kPrime = 1099511628211;  // FNV-1a
    for (const ActivePrompt& active : active_) {
        seed = (seed ^ (isActiveIn(active, call) ? 1U : 0U)) * kPrime;
    }
    return seed;
}

at::Tensor ImagePromptForward::maskFor(const ActivePrompt& active,
                                       const models::ResidualsCall& call) const {
    at::Tensor mask = active.mask;
    if (!mask.defined()) {
        return mask;
    }
    if (call.area) {
        const int64_t height = calls_.latents[2] * calls_.factor;
        const int64_t width = calls_.latents[3] * calls_.factor;
        if (mask.size(2) != height || mask.size(3) != width) {
            mask = at::upsample_bilinear2d(mask, {height, width}, /*align_corners=*/false);
        }
        mask = mask.narrow(2, call.area->y * calls_.factor, call.area->height * calls_.factor)
                   .narrow(3, call.area->x * calls_.factor, call.area->width * calls_.factor)
                   .contiguous();
    }
    const int64_t rows = call.latents.size(0);
    return mask.size(0) == 1 ? mask : mask.repeat({rows / mask.size(0), 1, 1, 1});
}

void ImagePromptForward::addTokens(const ActivePrompt& active,
                                   const models::ResidualsCall& call,
                                   std::vector<models::ImageTokens>& all) const {
    const ImagePromptSettings& settings = active.entry->settings;
    const int64_t positives = call.positives;
    const int64_t others = call.latents.size(0) - positives;
    const int64_t images = active.entry->images();
    const at::Tensor mask = maskFor(active, call);
    const auto add = [&](int64_t first, int64_t count, double weight) {
        if (weight == 0) {
            return;
        }
        const at::Tensor nothing =
            inARow(active.tokens.narrow(0, 0, 1).repeat({count, 1, 1}), 0, count);
        const at::Tensor own = inARow(active.tokens, 1 + first, count);
        all.push_back(
            {.adapter = active.adapter,
             .tokens = at::cat({tokenRowsOf(nothing, others), tokenRowsOf(own, positives)}),
             .strength = settings.influence.strength * weight,
             .mask = mask});
    };
    if (settings.weights.empty()) {
        add(0, images, 1);
        return;
    }
    for (int64_t i = 0; i < images; ++i) {
        add(i, 1, settings.weights[static_cast<size_t>(i)]);
    }
}

std::vector<models::ImageTokens> ImagePromptForward::tokensFor(
    const models::ResidualsCall& call) const {
    std::vector<models::ImageTokens> all;
    for (const ActivePrompt& active : active_) {
        if (isActiveIn(active, call.step.taken)) {
            addTokens(active, call, all);
        }
    }
    return all;
}

}  // namespace lowtide::nodes
