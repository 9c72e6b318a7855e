#include "plugin/models/denoisers/unet2d_denoiser.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/stage_values.hpp"

namespace lowtide::models {

UNet2DDenoiser::UNet2DDenoiser(StageContext& context,
                               const UNet2DCondition& unet,
                               const DenoiserRequest& request,
                               const at::Tensor& added)
    : unet_(unet), pass_(context, *unet.tree()), residuals_(request.residuals) {
    LOWTIDE_ASSERT(added.defined() == (unet.config().addedWidth > 0));
    added_ = pass_.toCompute(added);
    const UNet2DConfig& config = unet.config();
    const c10::Device device = pass_.device();
    const auto embeds = [&](const tensor::Conditioning& conditioning, const char* item) {
        const at::Tensor one = fieldIn(conditioning,
                                       {.name = tensor::kEmbeds, .width = config.contextWidth()},
                                       item,
                                       request.checkpoint);
        return tensor::upload(one, device).repeat({request.batch, 1, 1});  // [1, T, D] -> [B, T, D]
    };
    conditioning_ = embeds(request.positive, "positive");
    context.record.put("embeds.prompt", conditioning_);
    if (request.negative) {
        const at::Tensor negative = embeds(*request.negative, "negative");
        context.record.put("embeds.negative", negative);
        if (negative.size(1) != conditioning_.size(1)) {
            throw Error(ErrorKind::InvalidInput,
                        "the positive conditioning has " + std::to_string(conditioning_.size(1)) +
                            " tokens, the negative " + std::to_string(negative.size(1)),
                        "encode both with the same checkpoint",
                        "negative");
        }
        conditioning_ = at::cat({negative, conditioning_});
    }
    context.record.put("model_cond", conditioning_);
    conditioning_ = pass_.toCompute(conditioning_);
    if (config.guidanceWidth > 0) {
        const at::Tensor scale = at::full({request.batch}, request.cfg - 1, at::kFloat);
        guidance_ = tensor::upload(guidanceSinusoids(scale, config.guidanceWidth), device);
        context.record.put("timestep_cond", guidance_);
    }
}

at::Tensor UNet2DDenoiser::predict(const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const sampling::StepInfo& step) {
    return unet_.predict(
        pass_,
        latents,
        timestep,
        {.context = conditioning_, .guidance = guidance_, .added = added_},
        residuals_ ? residuals_(latents, timestep, step, nullptr) : UNetResiduals(),
        step);
}

}  // namespace lowtide::models
