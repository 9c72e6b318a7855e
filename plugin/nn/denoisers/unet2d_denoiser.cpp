#include "plugin/nn/denoisers/unet2d_denoiser.hpp"

#include "plugin/base/error.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"

#include <utility>
#include <vector>

namespace lowtide::models {

UNet2DDenoiser::UNet2DDenoiser(StageContext& context,
                               const UNet2DCondition& unet,
                               const DenoiserRequest& request,
                               const at::Tensor& added)
    : unet_(unet),
      forward_(context, *unet.tree()),
      dryRun_(context.dryRun),
      residuals_(request.residuals),
      images_(request.images),
      positives_(request.batch) {
    LOWTIDE_ASSERT(added.defined() == (unet.config().addedWidth > 0));
    const UNet2DConfig& config = unet.config();
    const c10::Device device = forward_.device();
    const auto embeds = [&](const tensor::Conditioning& conditioning, const char* item) {
        const at::Tensor one = fieldIn(conditioning,
                                       {.name = tensor::kEmbeds, .width = config.contextWidth()},
                                       item,
                                       request.checkpoint);
        return tensor::upload(one, device).repeat({request.batch, 1, 1});  // [1, T, D] -> [B, T, D]
    };
    at::Tensor texts = embeds(request.positive, "positive");
    context.record.put("embeds.prompt", texts);
    if (request.negative) {
        const at::Tensor negative = embeds(*request.negative, "negative");
        context.record.put("embeds.negative", negative);
        if (negative.size(1) != texts.size(1)) {
            throw Error(ErrorKind::InvalidInput,
                        message("the positive conditioning has {} tokens, the negative {}",
                                texts.size(1),
                                negative.size(1)),
                        message("encode both with the same checkpoint"),
                        "negative");
        }
        texts = at::cat({negative, texts});
    }
    context.record.put("model_cond", texts);
    at::Tensor guidance;
    if (config.guidanceWidth > 0) {
        const at::Tensor scale = at::full({request.batch}, request.cfg - 1, at::kFloat);
        guidance = tensor::upload(guidanceSinusoids(scale, config.guidanceWidth), device);
        context.record.put("timestep_cond", guidance);
    }
    conditioning_ = {.context = forward_.toCompute(texts),
                     .guidance = guidance,
                     .added = forward_.toCompute(added)};
    if (residuals_) {
        exact_ = {.context = texts, .guidance = guidance, .added = added};
    }
}

const UNetConditioning& UNet2DDenoiser::conditioningFor(const ResidualsCall& call,
                                                        UNetConditioning& seen) const {
    std::vector<ImageTokens> images = images_ ? images_(call) : std::vector<ImageTokens>();
    if (images.empty()) {
        return conditioning_;
    }
    seen = conditioning_;
    for (ImageTokens& each : images) {
        each.tokens = forward_.toCompute(each.tokens);
    }
    seen.images = std::move(images);
    return seen;
}

at::Tensor UNet2DDenoiser::predict(const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const sampling::StepInfo& step) {
    const ResidualsCall call{.latents = latents,
                             .timestep = timestep,
                             .step = step,
                             .conditioning = exact_,
                             .positives = positives_};
    const UNetResiduals residuals = residuals_ ? residuals_(call) : UNetResiduals();
    UNetConditioning seen;
    const UNetConditioning& conditioning = conditioningFor(call, seen);
    std::vector<int64_t> sizes = {conditioning.context.size(1),
                                  static_cast<int64_t>(residuals.skips.size()),
                                  static_cast<int64_t>(residuals.blocks.size())};
    for (const ImageTokens& each : conditioning.images) {
        sizes.insert(sizes.end(),
                     {static_cast<int64_t>(each.adapter),
                      each.tokens.size(1),
                      each.mask.defined() ? each.mask.numel() : 0});
    }
    return stepOver(dryRun_, forward_.tree(), latents, sizes, step, [&](const auto& own) {
        return unet_.predict(forward_, latents, timestep, conditioning, residuals, own);
    });
}

}  // namespace lowtide::models
