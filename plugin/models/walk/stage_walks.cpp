#include "plugin/models/walk/stage_walks.hpp"

#include "plugin/models/decode_stage.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/upscale_stage.hpp"
#include "plugin/models/walk/walked_model.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/crossing.hpp"

#include <c10/core/InferenceMode.h>

#include <algorithm>

namespace lowtide::models {

namespace {

/// First order, two of full order with one history, and the last one.
constexpr int kWalkedSteps = 4;

StageCall quietCall() {
    return {.node = {},
            .stop = {},
            .progress = [](std::string_view, double, double) {},
            .preview = [](const Image8&) {}};
}

WireRef conditioningOnWire(const Shape& shape) {
    return std::make_shared<const tensor::Conditioning>(
        ShapeWalk::onWire(shape), at::Tensor(), std::string(), -1);
}

WireRef latentOnWire(const Shape& shape) {
    if (isInPixels(shape)) {
        return std::make_shared<const tensor::EmptyLatents>(shape[3], shape[2], shape[0]);
    }
    return std::make_shared<const tensor::Latents>(ShapeWalk::onWire(shape), tensor::Provenance{});
}

/// The walk of one stage; `run` gets the context to run it in.
template <class Run>
memory::StageWork walkStage(std::string_view deviceKind,
                            std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                            Run&& run) {
    const c10::InferenceMode asOnTheRunThread;
    ShapeWalk walk(deviceKind, std::move(trees));
    StageContext context{.weights = walk, .record = tensor::Record(nullptr)};
    run(context, walk);
    return walk.work();
}

}  // namespace

memory::StageWork walkEncode(const Model& model,
                             const EncodeRequest& request,
                             std::string_view deviceKind) {
    return walkStage(
        deviceKind, {treeIn(model, kTextEncoder)}, [&](StageContext& context, ShapeWalk&) {
            (void)model.encodePrompts(context,
                                      {.prompt = request.prompt,
                                       .negative = request.negative,
                                       .clipSkip = request.clipSkip});
        });
}

memory::StageWork walkDenoise(const Model& model,
                              const DenoiseShapes& shapes,
                              const DenoiseRequest& settings,
                              std::string_view deviceKind) {
    const int calls = makeSampler(model, settings)->callCount();
    const int end = settings.endStep < 0 ? calls : std::min(settings.endStep, calls);
    DenoiseRequest request = settings;
    request.endStep = std::min(end, settings.startStep + kWalkedSteps);
    memory::StageWork work = walkStage(
        deviceKind, {treeIn(model, kDenoiser)}, [&](StageContext& context, ShapeWalk& walk) {
            request.model = std::make_shared<const WalkedModel>(model, walk);
            request.positive = conditioningOnWire(shapes.positive);
            request.negative =
                shapes.negative.empty() ? nullptr : conditioningOnWire(shapes.negative);
            request.latent = latentOnWire(shapes.latent);
            (void)denoiseStage(context, request, quietCall());
        });
    for (memory::ComponentWork& component : work.components) {
        component.passes =
            component.passes / (request.endStep - settings.startStep) * (end - settings.startStep);
    }
    return work;
}

memory::StageWork walkDecode(const Model& model,
                             const Shape& latentShape,
                             int64_t tilePixels,
                             std::string_view deviceKind) {
    return walkStage(
        deviceKind, {treeIn(model, kAutoencoder)}, [&](StageContext& context, ShapeWalk& walk) {
            (void)decodeStage(context,
                              {.model = std::make_shared<const WalkedModel>(model, walk),
                               .latent = latentOnWire(latentShape),
                               .tilePixels = tilePixels},
                              quietCall());
        });
}

memory::StageWork walkUpscale(const Shape& imageShape,
                              const UpscaleRequest& settings,
                              std::string_view deviceKind) {
    return walkStage(deviceKind, {}, [&](StageContext& context, ShapeWalk&) {
        UpscaleRequest request = settings;
        request.image = std::make_shared<const tensor::Images>(ShapeWalk::onWire(imageShape),
                                                               tensor::Provenance{});
        (void)upscaleStage(context, request);
    });
}

memory::StageWork walkPictures(const Shape& imageShape, std::string_view deviceKind) {
    return walkStage(deviceKind, {}, [&](StageContext&, ShapeWalk&) {
        (void)tensor::quantised(ShapeWalk::onWire(imageShape));
    });
}

}  // namespace lowtide::models
