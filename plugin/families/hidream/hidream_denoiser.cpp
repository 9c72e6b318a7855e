#include "plugin/families/hidream/hidream_denoiser.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/shape.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/denoisers/latent_patches.hpp"
#include "plugin/nn/walk/walked_passes.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace {

/// A picture that is no square may be larger than what such ones are filled up to.
void requireTokens(const HiDreamTransformer& transformer, const at::Tensor& latents) {
    const HiDreamConfig& config = transformer.config();
    requireWholePatches(latents, config.patch);
    const int64_t height = latents.size(2);
    const int64_t width = latents.size(3);
    const int64_t tokens = height * width / (config.patch * config.patch);
    requireThat(height == width || tokens <= config.mostTokens,
                "the latent " + toText(latents.sizes().slice(2)) + " becomes " +
                    std::to_string(tokens) + " tokens, and the denoiser takes " +
                    std::to_string(config.mostTokens) + " of a picture that is no square",
                "choose a smaller size: at 16 pixels a token " + std::to_string(config.mostTokens) +
                    " tokens are as many as a square has",
                "latent");
}

void requireLike(const at::Tensor& positive, const at::Tensor& negative, const char* what) {
    requireThat(positive.sizes() == negative.sizes(),
                std::string("the positive conditioning's ") + what + " are " +
                    toText(positive.sizes()) + ", the negative's " + toText(negative.sizes()),
                "encode both by one Encode prompt",
                "negative");
}

}  // namespace

HiDreamDenoiser::HiDreamDenoiser(StageContext& context,
                                 const HiDreamTransformer& transformer,
                                 const DenoiserRequest& request)
    : transformer_(transformer), pass_(context, *transformer.tree()), walk_(context.walk) {
    HiDreamInputs positive = sideOf(context, request, request.positive, "positive", ".prompt");
    if (!request.negative) {
        inputs_ = std::move(positive);
        return;
    }
    const HiDreamInputs negative =
        sideOf(context, request, *request.negative, "negative", ".negative");
    requireLike(positive.t5, negative.t5, "states of T5");
    requireLike(positive.language, negative.language, "states of the language model");
    inputs_ = {.t5 = at::cat({negative.t5, positive.t5}),
               .language = at::cat({negative.language, positive.language}),
               .pooled = at::cat({negative.pooled, positive.pooled})};
}

HiDreamInputs HiDreamDenoiser::sideOf(StageContext& context,
                                      const DenoiserRequest& request,
                                      const tensor::Conditioning& conditioning,
                                      const char* item,
                                      const char* recorded) const {
    const HiDreamConfig& config = transformer_.config();
    const auto field = [&](const char* name, tensor::FieldKind kind, int64_t width) {
        const at::Tensor own = fieldIn(
            conditioning, {.name = name, .kind = kind, .width = width}, item, request.checkpoint);
        std::vector<int64_t> sizes = own.sizes().vec();
        sizes.front() = request.batch;
        const at::Tensor all = own.expand(sizes);
        const std::string prefix = kind == tensor::FieldKind::Sequence ? "embeds." : "";
        context.record.put(prefix + name + recorded, all.dim() == 4 ? all.transpose(0, 1) : all);
        return pass_.toCompute(tensor::upload(own, pass_.device())).expand(sizes);
    };
    HiDreamInputs inputs{
        .t5 = field(kT5Field, tensor::FieldKind::Sequence, config.t5Width),
        .language = field(kLanguageField, tensor::FieldKind::Sequence, config.languageWidth),
        .pooled = field(tensor::kPooled, tensor::FieldKind::Vector, config.pooledWidth)};
    const int64_t last =
        *std::max_element(config.languageLayers.begin(), config.languageLayers.end());
    requireThat(inputs.language.dim() == 4 && inputs.language.size(1) > last,
                "the conditioning holds " +
                    std::to_string(inputs.language.dim() == 4 ? inputs.language.size(1) : 0) +
                    " states of a language model, and the denoiser reads number " +
                    std::to_string(last + 1),
                "encode the prompt with the language model of the denoiser's own checkpoint",
                item);
    return inputs;
}

at::Tensor HiDreamDenoiser::predict(const at::Tensor& latents,
                                    const at::Tensor& timestep,
                                    const sampling::StepInfo& step) {
    requireTokens(transformer_, latents);
    const std::vector<int64_t> sizes = {inputs_.t5.size(1), inputs_.language.size(2)};
    return stepOver(walk_, pass_.tree(), latents, sizes, step, [&](const auto& own) {
        return transformer_.predict(pass_, latents, timestep, inputs_, own);
    });
}

}  // namespace lowtide::models
