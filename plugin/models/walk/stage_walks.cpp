#include "plugin/models/walk/stage_walks.hpp"

#include "plugin/models/conditioning/conditioning_outline.hpp"
#include "plugin/models/conditioning/conditioning_stage.hpp"
#include "plugin/models/decode_stage.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/finish/detail_stage.hpp"
#include "plugin/models/finish/match_colour_stage.hpp"
#include "plugin/models/finish/sharpen_stage.hpp"
#include "plugin/models/image_encode_stage.hpp"
#include "plugin/models/latent_outline.hpp"
#include "plugin/models/latent_upscale_stage.hpp"
#include "plugin/models/mask_stage.hpp"
#include "plugin/models/outline_parts.hpp"
#include "plugin/models/pictures/composite_stage.hpp"
#include "plugin/models/pictures/fit_stage.hpp"
#include "plugin/models/pictures/grow_mask_stage.hpp"
#include "plugin/models/pictures/repeat_latent_stage.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/stage_outlines.hpp"
#include "plugin/models/upscale_stage.hpp"
#include "plugin/models/upscale_with_model_stage.hpp"
#include "plugin/models/walk/walked_model.hpp"
#include "plugin/models/walk/walked_upscaler.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/picture_pixels.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

namespace lowtide::models {

namespace {

/// Enough for the longest history, of three predictions, a step that reads it, and the last one.
constexpr int kWalkedSteps = 5;

StageCall quietCall() {
    return {.node = {},
            .stop = {},
            .progress = [](std::string_view, double, double) {},
            .issue = [](const Issue&) {}};
}

/// What lies on the wire into `port`.
at::Tensor onWire(const Shape& shape, const memory::StagePlace& place, std::string_view port) {
    return place.isElsewhere(port) ? ShapeWalk::elsewhere(shape) : ShapeWalk::onWire(shape);
}

WireRef conditioningOnWire(const ConditioningShape& known,
                           const memory::StagePlace& place,
                           const char* port) {
    const ConditioningOutline outline = outlineOf(known, port);
    std::vector<tensor::ConditioningEntry> entries;
    for (const EntryOutline& entry : outline.entries()) {
        tensor::ConditioningEntry& own = entries.emplace_back();
        own.scope = entry.scope;
        for (const auto& [name, shape] : entry.tensors) {
            own.tensors.emplace(name, onWire(shape, place, port));
        }
    }
    return std::make_shared<const tensor::Conditioning>(
        outline.fields(), std::move(entries), std::string(), -1);
}

bool changesWithTime(const ConditioningShape& known, const char* port) {
    const ConditioningOutline outline = outlineOf(known, port);
    return std::any_of(outline.entries().begin(), outline.entries().end(), [](const auto& entry) {
        return !entry.scope.isAlways();
    });
}

/// `kind`: StageOutline::outputValue, may be null.
WireRef latentOnWire(const Shape& shape,
                     const WireRef& kind,
                     const memory::StagePlace& place,
                     std::string_view port) {
    if (const EmptyOutline* empty = emptyIn(kind)) {
        return std::make_shared<const tensor::EmptyLatents>(empty->size, empty->batch);
    }
    at::Tensor samples = onWire(shape, place, port);
    at::Tensor deviation = isDistribution(kind) ? onWire(shape, place, port) : at::Tensor();
    return std::make_shared<const tensor::Latents>(
        std::move(samples), tensor::Provenance{}, nullptr, std::move(deviation));
}

/// Null for no shape.
WireRef maskOnWire(const Shape& shape, const memory::StagePlace& place) {
    return shape.empty() ? nullptr
                         : std::make_shared<const tensor::Masks>(onWire(shape, place, "mask"));
}

WireRef imageOnWire(const Shape& shape,
                    const memory::StagePlace& place,
                    std::string_view port = "image") {
    return std::make_shared<const tensor::Images>(onWire(shape, place, port), tensor::Provenance{});
}

/// A picture that the host has not taken yet: in host memory, one at a time.
at::Tensor onItsWay(const Image8& picture, const memory::StagePlace& place) {
    const bool isCounted = tensor::imitatedBy(place.deviceKind) == tensor::Imitated::Cpu;
    return isCounted ? at::empty({static_cast<int64_t>(picture.byteCount())},
                                 at::TensorOptions(at::kByte).device(c10::kMeta))
                     : at::Tensor();
}

/// The walk of one stage; `run` gets the context to run it in.
template <class Run>
memory::StageWork walkStage(const memory::StagePlace& place,
                            std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                            Run&& run) {
    const c10::InferenceMode asOnTheRunThread;
    ShapeWalk walk(place.deviceKind, std::move(trees), place.isThere);
    StageContext context{.weights = walk, .record = tensor::Record(nullptr)};
    run(context, walk);
    return walk.work();
}

}  // namespace

memory::StageWork walkEncode(const Model& model,
                             const EncodeRequest& request,
                             const memory::StagePlace& place) {
    return walkStage(
        place, treesIn(model, model.info().textEncoders), [&](StageContext& context, ShapeWalk&) {
            (void)model.encodePrompts(context, promptsOf(request));
        });
}

memory::StageWork walkPicture(int64_t heightPixels,
                              int64_t widthPixels,
                              const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext&, ShapeWalk&) {
        const auto options = at::TensorOptions(at::kFloat).device(c10::kMeta);
        const at::Tensor pixels =
            at::empty({1, tensor::kPictureChannels, heightPixels, widthPixels}, options);
        const at::Tensor mask = at::empty({1, 1, heightPixels, widthPixels}, options);
    });
}

memory::StageWork walkEncodeImage(const Model& model,
                                  const ImageEncodeShapes& shapes,
                                  const ImageEncodeRequest& settings,
                                  const memory::StagePlace& place) {
    return walkStage(
        place, {treeIn(model, kAutoencoder)}, [&](StageContext& context, ShapeWalk& walk) {
            ImageEncodeRequest request = settings;
            request.model = std::make_shared<const WalkedModel>(model, walk);
            request.image = imageOnWire(shapes.image, place);
            request.mask = maskOnWire(shapes.mask, place);
            (void)imageEncodeStage(context, request, quietCall());
        });
}

memory::StageWork walkMask(const Shape& imageShape,
                           const MaskRequest& settings,
                           const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        MaskRequest request = settings;
        request.image = imageOnWire(imageShape, place);
        (void)maskStage(context, request);
    });
}

memory::StageWork walkDenoise(const Model& model,
                              const DenoiseShapes& shapes,
                              const DenoiseRequest& settings,
                              const memory::StagePlace& place) {
    const auto sampler = makeSampler(model, settings);
    if (keepsLatent(settings)) {
        return walkStage(place, {}, [&](StageContext&, ShapeWalk&) {
            DenoiseRequest request = settings;
            request.latent = latentOnWire(shapes.latent, shapes.latentKind, place, "latent");
            (void)keptLatent(request);
        });
    }
    sampling::PassPart part = partOf(model, settings);
    const auto callsUntil = [&](int endStep) {
        part.endStep = endStep;
        const auto [first, last] = sampling::callsOf(*sampler, part);
        return last - first;
    };
    const int allCalls = callsUntil(settings.endStep);
    DenoiseRequest request = settings;
    const ConditioningShape positive{.shape = shapes.positive, .entries = shapes.positiveEntries};
    const ConditioningShape negative{.shape = shapes.negative, .entries = shapes.negativeEntries};
    const bool hasNegative = !shapes.negative.empty();
    const bool stepsDiffer = settings.stepCache || changesWithTime(positive, "positive") ||
                             (hasNegative && changesWithTime(negative, "negative"));
    const bool hasShares = part.startAt > 0 || part.endAt < 1;
    if (!stepsDiffer && !hasShares) {
        const int steps = sampler->stepCount();
        const int end = settings.endStep < 0 ? steps : std::min(settings.endStep, steps);
        request.endStep = std::min(end, part.startStep + kWalkedSteps);
    }
    const int walkedCalls = callsUntil(request.endStep);
    memory::StageWork work =
        walkStage(place, {treeIn(model, kDenoiser)}, [&](StageContext& context, ShapeWalk& walk) {
            request.model = std::make_shared<const WalkedModel>(model, walk);
            request.positive = conditioningOnWire(positive, place, "positive");
            request.negative =
                hasNegative ? conditioningOnWire(negative, place, "negative") : nullptr;
            request.latent = latentOnWire(shapes.latent, shapes.latentKind, place, "latent");
            request.mask = maskOnWire(shapes.mask, place);
            request.masked = shapes.masked.empty()
                                 ? nullptr
                                 : latentOnWire(shapes.masked, shapes.maskedKind, place, "masked");
            StageCall call = quietCall();
            at::Tensor shown;
            if (place.previews) {
                call.preview = [&](const LivePicture& live) {
                    shown = onItsWay(live.picture, place);
                };
            }
            (void)denoiseStage(context, request, call);
        });
    for (memory::ComponentWork& component : work.components) {
        component.passes = component.passes * allCalls / walkedCalls;
    }
    return work;
}

memory::StageWork walkDecode(const Model& model,
                             const Shape& latentShape,
                             int64_t tilePixels,
                             const memory::StagePlace& place) {
    return walkStage(
        place, {treeIn(model, kAutoencoder)}, [&](StageContext& context, ShapeWalk& walk) {
            (void)decodeStage(context,
                              {.model = std::make_shared<const WalkedModel>(model, walk),
                               .latent = latentOnWire(latentShape, nullptr, place, "latent"),
                               .tilePixels = tilePixels},
                              quietCall());
        });
}

memory::StageWork walkUpscale(const Shape& imageShape,
                              const UpscaleRequest& settings,
                              const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        UpscaleRequest request = settings;
        request.image = imageOnWire(imageShape, place);
        (void)upscaleStage(context, request);
    });
}

memory::StageWork walkUpscale(const Shape& imageShape,
                              const UpscaleWithModelRequest& settings,
                              const memory::StagePlace& place) {
    const Upscaler& upscaler = upscalerIn(settings.upscaler);
    return walkStage(place, {upscaler.tree()}, [&](StageContext& context, ShapeWalk& walk) {
        UpscaleWithModelRequest request = settings;
        request.upscaler = std::make_shared<const WalkedUpscaler>(upscaler, walk);
        request.image = imageOnWire(imageShape, place);
        (void)upscaleWithModelStage(context, request, quietCall());
    });
}

memory::StageWork walkUpscale(const Shape& latentShape,
                              const LatentUpscaleRequest& settings,
                              const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        LatentUpscaleRequest request = settings;
        request.latent = latentOnWire(latentShape, nullptr, place, "latent");
        (void)upscaleLatentStage(context, request);
    });
}

memory::StageWork walkConditioning(const std::vector<ConditioningShape>& inputs,
                                   const ConditioningEdit& edit,
                                   const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext&, ShapeWalk&) {
        ConditioningEdit walked = edit;
        walked.first = conditioningOnWire(inputs.front(), place, "first");
        walked.second =
            inputs.size() > 1 ? conditioningOnWire(inputs[1], place, "second") : nullptr;
        (void)editedConditioning(walked);
    });
}

memory::StageWork walkSharpen(const Shape& imageShape,
                              const SharpenRequest& settings,
                              const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        SharpenRequest request = settings;
        request.image = imageOnWire(imageShape, place);
        (void)sharpenStage(context, request);
    });
}

memory::StageWork walkMatchColour(const Shape& imageShape,
                                  const Shape& referenceShape,
                                  const MatchColourRequest& settings,
                                  const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        MatchColourRequest request = settings;
        request.image = imageOnWire(imageShape, place);
        request.reference = imageOnWire(referenceShape, place, "reference");
        (void)matchColourStage(context, request);
    });
}

memory::StageWork walkFit(const FitShapes& shapes,
                          const FitRequest& settings,
                          const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        FitRequest request = settings;
        request.image = imageOnWire(shapes.image, place);
        request.mask = maskOnWire(shapes.mask, place);
        (void)fitStage(context, request);
    });
}

memory::StageWork walkComposite(const CompositeShapes& shapes,
                                const CompositeRequest& settings,
                                const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        CompositeRequest request = settings;
        request.destination = imageOnWire(shapes.destination, place, "destination");
        request.source = imageOnWire(shapes.source, place, "source");
        request.mask = maskOnWire(shapes.mask, place);
        (void)compositeStage(context, request);
    });
}

memory::StageWork walkGrowMask(const Shape& maskShape,
                               const MaskGrowRequest& settings,
                               const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        MaskGrowRequest request = settings;
        request.mask = maskOnWire(maskShape, place);
        (void)growMaskStage(context, request, quietCall());
    });
}

memory::StageWork walkRepeat(const Shape& latentShape,
                             const WireRef& known,
                             const LatentRepeatRequest& settings,
                             const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext& context, ShapeWalk&) {
        LatentRepeatRequest request = settings;
        request.latent = latentOnWire(latentShape, known, place, "latent");
        (void)repeatLatentStage(context, request);
    });
}

memory::StageWork walkDetail(const DetailShapes& shapes,
                             const DetailRequest& settings,
                             const DetailNetworks& networks,
                             const memory::StagePlace& place) {
    const Model& autoencoder = modelIn(networks.autoencoder);
    const Model& denoiser = modelIn(networks.denoiser);
    return walkStage(
        place,
        {treeIn(autoencoder, kAutoencoder), treeIn(denoiser, kDenoiser)},
        [&](StageContext& context, ShapeWalk& walk) {
            DetailNetworks walked = networks;
            walked.autoencoder = std::make_shared<const WalkedModel>(autoencoder, walk);
            walked.denoiser = std::make_shared<const WalkedModel>(denoiser, walk);
            DetailRequest request = settings;
            request.positive = conditioningOnWire(shapes.positive, place, "positive");
            request.negative = shapes.negative.shape.empty()
                                   ? nullptr
                                   : conditioningOnWire(shapes.negative, place, "negative");
            request.image = imageOnWire(shapes.image, place);
            (void)detailStage(context, request, walked, quietCall());
        });
}

memory::StageWork walkPictures(const Shape& imageShape, const memory::StagePlace& place) {
    return walkStage(place, {}, [&](StageContext&, ShapeWalk&) {
        (void)tensor::quantised(onWire(imageShape, place, "image"));
    });
}

}  // namespace lowtide::models
