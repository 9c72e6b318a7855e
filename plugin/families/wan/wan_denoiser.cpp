#include "plugin/families/wan/wan_denoiser.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/shape_walk.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace {

/// Parts of a video that prompts are restricted to may be no whole patches, and a video may be
/// larger than the places that the transformer knows.
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
                    message("the latent is {}, and the denoiser knows {} places along each side",
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
    : walk_(context.walk), second_(request.second) {
    const c10::Device device = context.deviceOf(*transformer.tree());
    const auto embeds = [&](const tensor::Conditioning& conditioning, const char* item) {
        const at::Tensor one =
            fieldIn(conditioning,
                    {.name = tensor::kEmbeds, .width = transformer.config().textWidth},
                    item,
                    request.checkpoint);
        return tensor::upload(one, device).repeat({request.batch, 1, 1});  // [1, T, D] -> [B, T, D]
    };
    requireThat(request.seen || transformer.config().pictureWidth == 0,
                message("{} sees the picture that a video begins with, and there is none",
                        request.checkpoint),
                message("connect Video from image"),
                "latent");
    at::Tensor pictures;
    if (request.seen) {
        pictures = tensor::upload(*request.seen, device).repeat({request.batch, 1, 1});
        context.record.put("model_cond_image", pictures);
    }
    std::vector<WanInputs> inputs = {
        {.text = embeds(request.positive, "positive"), .pictures = pictures}};
    if (request.negative) {
        inputs.push_back({.text = embeds(*request.negative, "negative"), .pictures = pictures});
    }
    context.record.put("model_cond", inputs.back().text);
    experts_.push_back(expert(context, transformer, inputs));
    if (second) {
        experts_.push_back(expert(context, *second, inputs));
    }
}

WanDenoiser::Expert WanDenoiser::expert(StageContext& context,
                                        const WanTransformer& network,
                                        const std::vector<WanInputs>& inputs) const {
    Expert made{.network = network, .pass = Pass(context, *network.tree())};
    onDeviceOf(walk_, made.pass.tree(), [&] {
        const auto there = [&](const at::Tensor& value) {
            return made.pass.toCompute(tensor::upload(value, made.pass.device()));
        };
        for (const WanInputs& each : inputs) {
            // Both prompts see the same pictures.
            made.inputs.push_back({.text = there(each.text),
                                   .pictures = made.inputs.empty() ? there(each.pictures)
                                                                   : made.inputs.front().pictures});
        }
    });
    return made;
}

at::Tensor WanDenoiser::predict(const at::Tensor& latents,
                                const at::Tensor& timestep,
                                const sampling::StepInfo& step) {
    const bool isOfSecond =
        experts_.size() > 1 && second_ && second_->takes(sampling::timestepIn(timestep));
    Expert& expert = isOfSecond ? experts_.back() : experts_.front();
    requirePatches(expert.network.config(), latents);
    const WanInputs& inputs = expert.inputs[step.slot.isUncond];
    const std::vector<int64_t> sizes = {inputs.text.size(1),
                                        inputs.pictures.defined() ? inputs.pictures.size(1) : 0};
    // An expert may have another device than the first, where the latents are.
    const at::Tensor there = tensor::upload(latents, expert.pass.device());
    const auto predicted = [&](const sampling::StepInfo& decided) {
        return expert.network.predict(expert.pass, there, timestep, inputs, decided);
    };
    return tensor::upload(stepOver(walk_, expert.pass.tree(), there, sizes, step, predicted),
                          latents.device());
}

}  // namespace lowtide::models
