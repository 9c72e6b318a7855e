#include "plugin/models/denoisers/wan_denoiser.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/shape.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/walk/walked_passes.hpp"
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
        requireThat(side % patch == 0,
                    "a part of the latent is " + toText(latents.sizes().slice(2)) +
                        ", and the denoiser takes patches of " + toText(config.patch),
                    "choose a size, and areas of prompts, of whole patches: multiples of 16 pixels",
                    "latent");
        requireThat(side / patch <= config.mostPatches,
                    "the latent is " + toText(latents.sizes().slice(2)) +
                        ", and the denoiser knows " + std::to_string(config.mostPatches) +
                        " places along each side",
                    "choose a smaller or shorter video",
                    "latent");
    }
}

}  // namespace

WanDenoiser::WanDenoiser(StageContext& context,
                         const WanTransformer& transformer,
                         const DenoiserRequest& request)
    : transformer_(transformer), pass_(context, *transformer.tree()), walk_(context.walk) {
    const c10::Device device = pass_.device();
    const auto embeds = [&](const tensor::Conditioning& conditioning, const char* item) {
        const at::Tensor one =
            fieldIn(conditioning,
                    {.name = tensor::kEmbeds, .width = transformer.config().textWidth},
                    item,
                    request.checkpoint);
        return tensor::upload(one, device).repeat({request.batch, 1, 1});  // [1, T, D] -> [B, T, D]
    };
    requireThat(request.seen || transformer.config().pictureWidth == 0,
                std::string(request.checkpoint) +
                    " sees the picture that a video begins with, and there is none",
                "connect Video from image",
                "latent");
    at::Tensor pictures;
    if (request.seen) {
        pictures = tensor::upload(*request.seen, device).repeat({request.batch, 1, 1});
        context.record.put("model_cond_image", pictures);
    }
    at::Tensor text = embeds(request.positive, "positive");
    sides_.push_back({.text = pass_.toCompute(text), .pictures = pass_.toCompute(pictures)});
    if (request.negative) {
        text = embeds(*request.negative, "negative");
        sides_.push_back({.text = pass_.toCompute(text), .pictures = sides_.front().pictures});
    }
    context.record.put("model_cond", text);
}

at::Tensor WanDenoiser::predictSide(const at::Tensor& latents,
                                    const at::Tensor& timestep,
                                    const sampling::StepInfo& step,
                                    uint32_t side) {
    requirePatches(transformer_.config(), latents);
    sampling::StepInfo own = step;
    own.slot.branch = 2 * step.slot.branch + side;
    const WanInputs& inputs = sides_[side];
    const std::vector<int64_t> sizes = {inputs.text.size(1),
                                        inputs.pictures.defined() ? inputs.pictures.size(1) : 0};
    return stepOver(walk_, pass_.tree(), latents, sizes, own, [&](const auto& decided) {
        return transformer_.predict(pass_, latents, timestep, inputs, decided);
    });
}

at::Tensor WanDenoiser::predict(const at::Tensor& latents,
                                const at::Tensor& timestep,
                                const sampling::StepInfo& step) {
    if (sides_.size() == 1) {
        return predictSide(latents, timestep, step, 0);
    }
    const std::vector<at::Tensor> halves = latents.chunk(2);  // [uncond, cond]
    const at::Tensor positive = predictSide(halves[1].contiguous(), timestep, step, 0);
    return at::cat({predictSide(halves[0].contiguous(), timestep, step, 1), positive});
}

}  // namespace lowtide::models
