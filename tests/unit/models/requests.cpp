#include "tests/unit/models/requests.hpp"

#include "plugin/base/error.hpp"

#include <utility>

namespace lowtide::testing {

Given given(const FitRequest& request) {
    return {.node = "image.fit",
            .params = {{"width", request.size.width},
                       {"height", request.size.height},
                       {"multiple", request.multiple},
                       {"mode", request.mode},
                       {"method", request.method},
                       {"fill", request.fill}},
            .wires = {{"image", request.image}, {"mask", request.mask}, {"model", request.model}}};
}

Given given(const DecodeRequest& request) {
    return {.node = "decode.image",
            .params = {{"tile", request.tilePixels}},
            .wires = {{"model", request.model}, {"latent", request.latent}},
            .precision = request.precision};
}

Given given(const ImageEncodeRequest& request) {
    return {.node = "encode.image",
            .params = {{"tile", request.tilePixels}, {"sampling", request.sampling}},
            .wires = {{"model", request.model}, {"image", request.image}, {"mask", request.mask}},
            .precision = request.precision};
}

Given given(const SharpenRequest& request) {
    return {.node = "finish.sharpen",
            .params = {{"radius", request.radius},
                       {"percent", request.percent},
                       {"threshold", request.threshold}},
            .wires = {{"image", request.image}}};
}

Given given(const MatchColourRequest& request) {
    return {.node = "finish.match_colour",
            .params = {{"method", request.method}, {"strength", request.strength}},
            .wires = {{"image", request.image}, {"reference", request.reference}}};
}

Given given(const DetailRequest& request) {
    return {.node = "finish.detail",
            .params = {{"tile", request.tilePixels},
                       {"overlap", request.overlapPixels},
                       {"steps", int64_t{request.steps}},
                       {"cfg", request.cfg},
                       {"seed", request.seed},
                       {"sampler", request.sampler},
                       {"sigmas", request.sigmas},
                       {"spacing", request.spacing},
                       {"strength", request.strength}},
            .wires = {{"model", request.model},
                      {"positive", request.positive},
                      {"negative", request.negative},
                      {"image", request.image},
                      {"control", request.control}},
            .precision = request.precision};
}

Given given(const CompositeRequest& request) {
    return {.node = "image.composite",
            .params = {{"x", request.xPixels},
                       {"y", request.yPixels},
                       {"resize_source", request.isResized}},
            .wires = {{"destination", request.destination},
                      {"source", request.source},
                      {"mask", request.mask}}};
}

Given given(const MaskRequest& request) {
    return {.node = "mask.from_image",
            .params = {{"channel", request.channel},
                       {"threshold", request.threshold},
                       {"invert", request.isInverted}},
            .wires = {{"image", request.image}}};
}

Given given(const MaskGrowRequest& request) {
    return {.node = "mask.grow",
            .params = {{"pixels", request.pixels},
                       {"corners", request.corners},
                       {"feather", request.feather}},
            .wires = {{"mask", request.mask}}};
}

Given given(const UpscaleRequest& request) {
    return {.node = "upscale.image",
            .params = {{"method", request.method}, {"scale", request.scale}},
            .wires = {{"image", request.image}}};
}

Given given(const UpscaleWithModelRequest& request) {
    return {.node = "upscale.model",
            .params = {{"tile", request.tilePixels}, {"overlap", request.overlapPixels}},
            .wires = {{"upscaler", request.upscaler}, {"image", request.image}},
            .precision = request.precision};
}

Given given(const EmptyLatentRequest& request) {
    const bool isVideo = request.frames != 1 || request.rate != 0;
    if (isVideo && request.batch != 1) {
        throw Error(ErrorKind::Internal, Message("latent.video has no batch"), {}, "");
    }
    Given given{.node = isVideo ? "latent.video" : "latent.empty",
                .params = {{"width", request.widthPixels}, {"height", request.heightPixels}}};
    if (isVideo) {
        given.params["frames"] = request.frames;
        given.params["rate"] = request.rate;
    } else {
        given.params["batch"] = request.batch;
    }
    return given;
}

Given given(const LatentRepeatRequest& request) {
    return {.node = "latent.repeat",
            .params = {{"count", request.count}},
            .wires = {{"latent", request.latent}}};
}

Given given(const LatentUpscaleRequest& request) {
    const image::PixelSize size = request.size.value_or(image::PixelSize());
    return {.node = "latent.upscale",
            .params = {{"method", request.method},
                       {"by", std::string(request.size ? "size" : "scale")},
                       {"scale", request.scale},
                       {"width", size.width},
                       {"height", size.height}},
            .wires = {{"latent", request.latent}, {"model", request.model}}};
}

Given given(const ConditioningEdit& request) {
    const auto joined = [&](const char* node) {
        return Given{.node = node, .wires = {{"first", request.first}, {"second", request.second}}};
    };
    const auto restricted = [&](const char* node, std::map<std::string, Scalar> params) {
        return Given{
            .node = node, .params = std::move(params), .wires = {{"conditioning", request.first}}};
    };
    if (const auto* average = std::get_if<AverageEdit>(&request.edit)) {
        Given given = joined("conditioning.average");
        given.params = {{"share", average->fraction}};
        return given;
    }
    if (const auto* area = std::get_if<AreaEdit>(&request.edit)) {
        return restricted("conditioning.area",
                          {{"x", area->area.xPixels},
                           {"y", area->area.yPixels},
                           {"width", area->area.widthPixels},
                           {"height", area->area.heightPixels},
                           {"strength", area->strength}});
    }
    if (const auto* time = std::get_if<TimeEdit>(&request.edit)) {
        return restricted("conditioning.time_range", {{"start", time->start}, {"end", time->end}});
    }
    return joined(std::holds_alternative<CombineEdit>(request.edit) ? "conditioning.combine"
                                                                    : "conditioning.concat");
}

Given given(const ControlRequest& request) {
    return {.node = "control.apply",
            .params = {{"strength", request.strength},
                       {"start", request.start},
                       {"end", request.end},
                       {"mode", request.mode},
                       {"invert", request.isInverted}},
            .wires = {{"controlnet", request.controlnet},
                      {"image", request.image},
                      {"control", request.control}}};
}

Given given(const DenoiseRequest& request) {
    return {.node = "denoise.sample",
            .params = {{"steps", int64_t{request.steps}},
                       {"cfg", request.cfg},
                       {"boundary", request.boundary},
                       {"seed", request.seed},
                       {"batch_seeds", request.batchSeeds},
                       {"sampler", request.sampler},
                       {"schedule", request.schedule},
                       {"noise", request.noise},
                       {"sigmas", request.sigmas},
                       {"spacing", request.spacing},
                       {"start_step", int64_t{request.startStep}},
                       {"end_step", int64_t{request.endStep}},
                       {"add_noise", request.addNoise},
                       {"keep_noise", request.keepNoise},
                       {"start_at", request.startAt},
                       {"end_at", request.endAt},
                       {"eta", request.eta},
                       {"shift", request.shift},
                       {"guidance_rescale", request.guidanceRescale},
                       {"strength", request.strength}},
            .wires = {{"model", request.model},
                      {"positive", request.positive},
                      {"negative", request.negative},
                      {"latent", request.latent},
                      {"mask", request.mask},
                      {"masked", request.masked},
                      {"step_cache", request.stepCache},
                      {"control", request.control}},
            .precision = request.precision};
}

Given given(const EncodeRequest& request) {
    Given given{.node = "prompt.encode",
                .params = {{"prompt", request.prompt},
                           {"loras", request.hasTags},
                           {"encode_empty", request.encodesEmpty},
                           {"negative", request.negative},
                           {"length", request.length},
                           {"clip_skip", int64_t{request.clipSkip}},
                           {"weights", request.weights}},
                .wires = {{"model", request.model}},
                .precision = request.precision,
                .graphFolder = request.graphFolder};
    for (size_t i = 0; i < request.others.size(); ++i) {
        given.params[models::promptNameOf(i)] = request.others[i].prompt;
        given.params[models::negativeNameOf(i)] = request.others[i].negative;
    }
    for (const auto& [name, number] : request.numbers) {
        const bool isPixels =
            name.starts_with("crop_") || name.ends_with("_width") || name.ends_with("_height");
        given.params[name] = isPixels ? Scalar(static_cast<int64_t>(number)) : Scalar(number);
    }
    return given;
}

}  // namespace lowtide::testing
