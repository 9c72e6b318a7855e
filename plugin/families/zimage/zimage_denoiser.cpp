#include "plugin/families/zimage/zimage_denoiser.hpp"

#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/denoisers/latent_patches.hpp"
#include "plugin/nn/denoisers/sides_in_turn.hpp"
#include "plugin/nn/walk/walked_passes.hpp"
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

at::Tensor ZImageDenoiser::predict(const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const sampling::StepInfo& step) {
    requireWholePatches(latents, ZImageConfig::kPatch);
    return predictInTurn(
        latents, batch_, step, [&](const auto& own, const auto& ofSide, uint32_t side) {
            const at::Tensor& text = texts_[side];
            return stepOver(
                walk_, pass_.tree(), own, {text.size(1)}, ofSide, [&](const auto& decided) {
                    return transformer_.predict(pass_, own, timestep, text, decided);
                });
        });
}

}  // namespace lowtide::models
