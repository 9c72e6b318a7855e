#include "plugin/families/wan/wan_denoiser.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace {

/// Parts of a video that prompts are restricted to may be no whole patches, and a video may be
/// larger than the positions that the transformer knows.
void requirePatches(const WanConfig& config, const at::Tensor& latents) {
    for (size_t axis = 0; axis < config.patch.size(); ++axis) {
        const int64_t side = latents.size(static_cast<int64_t>(axis) + 2);
        const int64_t patch = config.patch[axis];
        requireThat(
            side % patch == 0,
            message("a part of the latent is {}, and the denoiser takes patches of {}",
                    toText(latents.sizes().slice(2)),
                    toText(config.patch)),
            message(
                "choose a size, and areas of prompts, of whole patches: multiples of 16 pixels"),
            "latent");
        requireThat(side / patch <= config.mostPatches,
                    message("the latent is {}, and the denoiser knows {} positions along each side",
                            toText(latents.sizes().slice(2)),
                            config.mostPatches),
                    message("choose a smaller or shorter video"),
                    "latent");
    }
}

}  // namespace

WanDenoiser::WanDenoiser(StageContext& context,
                         const WanTransformer& transformer,
                         const WanTransformer* second,
                         const DenoiserRequest& request)
    : dryRun_(context.dryRun), second_(request.second) {
    const c10::Device device = context.deviceOf(*transformer.tree());
    const auto embeds = [&](const tensor::Conditioning& conditioning, const char* item) {
        const at::Tensor one =
            fieldIn(conditioning,
                    {.name = tensor::kEmbeds, .width = transformer.config().textWidth},
                    item,
                    request.checkpoint);
        return tensor::upload(one, device).repeat({request.batch, 1, 1});  // [1, T, D] -> [B, T, D]
    };
    requireThat(request.visionEmbeds || transformer.config().imageWidth == 0,
                message("{} reads the image that a video begins with, and there is none",
                        request.checkpoint),
                message("connect Video from image"),
                "latent");
    at::Tensor images;
    if (request.visionEmbeds) {
        images = tensor::upload(*request.visionEmbeds, device).repeat({request.batch, 1, 1});
        context.record.put("model_cond_image", images);
    }
    std::vector<WanInputs> inputs = {
        {.text = embeds(request.positive, "positive"), .images = images}};
    if (request.negative) {
        inputs.push_back({.text = embeds(*request.negative, "negative"), .images = images});
    }
    context.record.put("model_cond", inputs.back().text);
    noiseModels_.push_back(noiseModel(context, transformer, inputs));
    if (second) {
        noiseModels_.push_back(noiseModel(context, *second, inputs));
    }
}

WanDenoiser::NoiseModel WanDenoiser::noiseModel(StageContext& context,
                                                const WanTransformer& network,
                                                const std::vector<WanInputs>& inputs) const {
    NoiseModel made{.network = network, .forward = Forward(context, *network.tree())};
    onDeviceOf(dryRun_, made.forward.tree(), [&] {
        const auto there = [&](const at::Tensor& value) {
            return made.forward.toCompute(tensor::upload(value, made.forward.device()));
        };
        for (const WanInputs& each : inputs) {
            // Both prompts see the same images.
            made.inputs.push_back(
                {.text = there(each.text),
                 .images = made.inputs.empty() ? there(each.images) : made.inputs.front().images});
        }
    });
    return made;
}

at::Tensor WanDenoiser::predict(const at::Tensor& latents,
                                const at::Tensor& timestep,
                                const sampling::StepInfo& step) {
    const bool isOfSecond =
        noiseModels_.size() > 1 && second_ && second_->takes(sampling::timestepIn(timestep));
    NoiseModel& noiseModel = isOfSecond ? noiseModels_.back() : noiseModels_.front();
    requirePatches(noiseModel.network.config(), latents);
    const WanInputs& inputs = noiseModel.inputs[step.slot.isUncond];
    const std::vector<int64_t> sizes = {inputs.text.size(1),
                                        inputs.images.defined() ? inputs.images.size(1) : 0};
    // The second denoiser may have another device than the first, where the latents are.
    const at::Tensor there = tensor::upload(latents, noiseModel.forward.device());
    const auto predicted = [&](const sampling::StepInfo& decided) {
        return noiseModel.network.predict(noiseModel.forward, there, timestep, inputs, decided);
    };
    return tensor::upload(
        stepOver(dryRun_, noiseModel.forward.tree(), there, sizes, step, predicted),
        latents.device());
}

}  // namespace lowtide::models
