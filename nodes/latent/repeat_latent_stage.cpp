#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

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
        result.ofPictures.insert(
            result.ofPictures.end(), given.ofPictures.begin(), given.ofPictures.end());
    }
    return result;
}

/// Of latents [B, ...]: [count B, ...].
Shape repeatedShape(const Shape& latentShape, const LatentRepeatRequest& settings) {
    const int64_t batch = latentShape.empty() ? 1 : latentShape[0];
    requireThat(settings.count >= 1 && settings.count <= kMostLatents / batch,
                std::to_string(batch) + " latents " + std::to_string(settings.count) +
                    " times cannot be had",
                "choose a number from 1 to " + std::to_string(kMostLatents / batch),
                "count");
    Shape shape = latentShape;
    shape[0] = batch * settings.count;
    return shape;
}

/// All latents of a batch one after the other, several times: 1 2 1 2. What a sampler remembers of
/// a pass before stays behind. Source: ComfyUI RepeatLatentBatch.
std::vector<WireRef> repeatLatentStage(models::StageContext& context,
                                       const LatentRepeatRequest& request,
                                       const StageCall&) {
    if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(request.latent.get())) {
        const Shape shape = repeatedShape({empty->batch()}, request);
        const auto& guide = empty->guide();
        return {std::make_shared<const tensor::EmptyLatents>(
            empty->size(),
            shape[0],
            empty->rate(),
            guide ? copyOf(guide, guide->beside.device()) : nullptr)};
    }
    const tensor::Latents& given = latentsIn(request.latent);
    (void)repeatedShape(given.samples().sizes().vec(), request);
    at::Tensor samples = repeated(given.samples(), request.count);
    context.record.put("latent_repeat_out", samples);
    return {
        std::make_shared<const tensor::Latents>(std::move(samples),
                                                repeatedFields(given.provenance(), request.count),
                                                nullptr,
                                                repeated(given.deviation(), request.count),
                                                copyOf(given.guide(), given.samples().device()))};
}

StageShapes repeatLatentShapes(const LatentRepeatRequest& request, StageFacts&) {
    const WireRef known = kindOf(request.latent);
    if (const EmptyOutline* empty = emptyIn(known)) {
        EmptyOutline repeated = *empty;
        repeated.batch = repeatedShape({empty->batch}, request).front();
        return {.outputs = {latentOutput(repeated)}};
    }
    return {.outputs = {latentOutput(repeatedShape(shapeOf(request.latent), request), known)}};
}

}  // namespace

const StageDef<LatentRepeatRequest>& stageOf(const LatentRepeatRequest&) {
    static const StageDef<LatentRepeatRequest> def{
        .name = "repeat",
        .wires = {{"latent", &LatentRepeatRequest::latent}},
        .shape = repeatLatentShapes,
        .run = repeatLatentStage};
    return def;
}

}  // namespace lowtide::nodes
