#include "plugin/models/denoisers/zimage_denoiser.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/shape.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/walk/walked_passes.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

ZImageDenoiser::ZImageDenoiser(StageContext& context,
                               const ZImageTransformer& transformer,
                               const DenoiserRequest& request)
    : transformer_(transformer),
      pass_(context, *transformer.tree()),
      walk_(context.walk),
      batch_(request.batch) {
    const auto add = [&](const tensor::Conditioning& conditioning, const char* item) {
        const at::Tensor own =
            fieldIn(conditioning,
                    {.name = tensor::kEmbeds, .width = transformer.config().textWidth},
                    item,
                    request.checkpoint);
        texts_.push_back(pass_.toCompute(tensor::upload(own, pass_.device())));
    };
    add(request.positive, "positive");
    if (request.negative) {
        add(*request.negative, "negative");
    }
}

at::Tensor ZImageDenoiser::predictSide(const at::Tensor& latents,
                                       const at::Tensor& timestep,
                                       const sampling::StepInfo& step,
                                       uint32_t side) {
    sampling::StepInfo own = step;
    own.slot.branch = 2 * step.slot.branch + side;
    return stepOver(
        walk_, pass_.tree(), latents, {texts_[side].size(1)}, own, [&](const auto& decided) {
            return transformer_.predict(pass_, latents, timestep, texts_[side], decided);
        });
}

at::Tensor ZImageDenoiser::predict(const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const sampling::StepInfo& step) {
    constexpr int64_t kPatch = ZImageConfig::kPatch;
    requireThat(latents.size(2) % kPatch == 0 && latents.size(3) % kPatch == 0,
                "a part of the latent is " + toText(latents.sizes().slice(2)) +
                    ", and the denoiser takes patches of " + std::to_string(kPatch) + " x " +
                    std::to_string(kPatch),
                "choose areas of prompts that are multiples of 16 pixels",
                "latent");
    if (latents.size(0) == batch_) {
        return predictSide(latents, timestep, step, 0);
    }
    const std::vector<at::Tensor> halves = latents.chunk(2);  // [uncond, cond]
    const at::Tensor positive = predictSide(halves[1].contiguous(), timestep, step, 0);
    return at::cat({predictSide(halves[0].contiguous(), timestep, step, 1), positive});
}

}  // namespace lowtide::models
