#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

#include <string>
#include <vector>

namespace lowtide::nodes {

namespace {

/// A latent several times.
struct RepeatLatentAsked {
    WireRef latent;
    int64_t count = 2;
};

constexpr int64_t kMostLatents = 4096;

at::Tensor repeated(const at::Tensor& value, int64_t count) {
    if (!value.defined()) {
        return value;
    }
    std::vector<int64_t> times(static_cast<size_t>(value.dim()), 1);
    times.front() = count;
    return value.repeat(times);
}

tensor::Provenance repeatedFields(const tensor::Provenance& given, int64_t count) {
    tensor::Provenance result = given;
    for (int64_t i = 1; i < count; ++i) {
        result.ofImages.insert(result.ofImages.end(), given.ofImages.begin(), given.ofImages.end());
    }
    return result;
}

/// Of latents [B, ...]: [count B, ...].
Shape repeatedShape(const Shape& latentShape, const RepeatLatentAsked& asked) {
    const int64_t batch = latentShape.empty() ? 1 : latentShape[0];
    requireThat(asked.count >= 1 && asked.count <= kMostLatents / batch,
                message("{} latents {} times cannot be had", batch, asked.count),
                message("choose a number from 1 to {}", kMostLatents / batch),
                "count");
    Shape shape = latentShape;
    shape[0] = batch * asked.count;
    return shape;
}

/// All latents of a batch one after the other, several times: 1 2 1 2. What a sampler remembers of
/// an earlier pass is dropped. Source: ComfyUI RepeatLatentBatch.
std::vector<WireRef> repeatLatentStage(models::StageContext& context,
                                       const RepeatLatentAsked& asked,
                                       const StageCall&) {
    if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(asked.latent.get())) {
        const Shape shape = repeatedShape({empty->batch()}, asked);
        const auto& imageConditioning = empty->imageConditioning();
        return {std::make_shared<const tensor::EmptyLatents>(
            empty->size(),
            shape[0],
            empty->rate(),
            imageConditioning ? copyOf(imageConditioning, imageConditioning->extraChannels.device())
                              : nullptr)};
    }
    const tensor::Latents& given = latentsIn(asked.latent);
    (void)repeatedShape(given.samples().sizes().vec(), asked);
    at::Tensor samples = repeated(given.samples(), asked.count);
    context.record.put("latent_repeat_out", samples);
    return {std::make_shared<const tensor::Latents>(
        std::move(samples),
        repeatedFields(given.provenance(), asked.count),
        nullptr,
        repeated(given.deviation(), asked.count),
        copyOf(given.imageConditioning(), given.samples().device()))};
}

StageShapes repeatLatentShapes(const RepeatLatentAsked& asked, StageFacts&) {
    const WireRef known = kindOf(asked.latent);
    if (const EmptyLatentSpec* empty = emptyIn(known)) {
        EmptyLatentSpec repeated = *empty;
        repeated.batch = repeatedShape({empty->batch}, asked).front();
        return {.outputs = {latentOutput(repeated)}};
    }
    return {.outputs = {latentOutput(repeatedShape(shapeOf(asked.latent), asked), known)}};
}

std::vector<Field<RepeatLatentAsked>> repeatLatentFields() {
    return {input(&RepeatLatentAsked::latent,
                  {"latent",
                   "Latent",
                   "An encoded image, an empty latent, or a batch of them.",
                   "LATENT"}),
            param(&RepeatLatentAsked::count,
                  {.id = "count",
                   .label = "Count",
                   .tooltip = "How often; the denoiser decides which seeds the images get.",
                   .unit = "times",
                   .min = 1,
                   .max = 4096,
                   .softMin = 1,
                   .softMax = 16,
                   .step = 1})};
}

}  // namespace

executor::NodeType repeatLatentNode(Stages& stages) {
    return nodeOf<RepeatLatentAsked>(
        stages,
        {.desc = {.id = "latent.repeat",
                  .label = "Repeat latent",
                  .category = "Latent",
                  .tooltip = "A latent several times, so that one image gives a batch.",
                  .outputs = {{.id = "latent",
                               .label = "Latent",
                               .tooltip = "All of them, one after the other, several times.",
                               .type = "LATENT"}}},
         .fields = repeatLatentFields(),
         .stage = {.name = "repeat", .shape = repeatLatentShapes, .run = repeatLatentStage}});
}

}  // namespace lowtide::nodes
