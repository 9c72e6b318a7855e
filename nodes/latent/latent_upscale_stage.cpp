#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/resample.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lowtide::nodes {

namespace {

using tensor::kernels::Interpolation;

constexpr double kLargestLatentSide = 1 << 13;  ///< of latents: 65536 pixels of most models

struct LatentSize {
    int64_t height = 0;
    int64_t width = 0;
};

struct LatentMethod {
    std::string_view name;
    const char* label;  ///< in A1111's words
    Interpolation how;
};

constexpr LatentMethod kLatentMethods[] = {
    {"nearest-exact", "Latent (nearest-exact)", Interpolation::NearestExact},
    {"bilinear", "Latent", Interpolation::Bilinear},
    {"bicubic", "Latent (bicubic)", Interpolation::Bicubic},
    {"area", "Latent (area)", Interpolation::Area},
    {"bislerp", "Latent (bislerp)", Interpolation::Bislerp}};

const LatentMethod& latentMethodNamed(const std::string& name) {
    const auto* method = std::find_if(
        std::begin(kLatentMethods), std::end(kLatentMethods), [&](const LatentMethod& known) {
            return known.name == name;
        });
    if (method == std::end(kLatentMethods)) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no method \"" + name + "\" for latents",
                    "choose nearest-exact, bilinear, bicubic, area or bislerp",
                    "method");
    }
    return *method;
}

/// Latent pixels of a side; rounded half to even, as the reference rounds.
int64_t sideOf(double exact, const char* item) {
    const double side = std::nearbyint(exact);
    if (!(exact > 0) || side > kLargestLatentSide) {
        throw Error(ErrorKind::InvalidInput,
                    "a side would have " + formatNumber(exact) + " latent pixels",
                    "choose a size that gives sides of 1 to 8192 latent pixels",
                    item);
    }
    return std::max<int64_t>(1, static_cast<int64_t>(side));
}

int64_t scaledLatentSide(int64_t side, double scale, const char* item) {
    return sideOf(static_cast<double>(side) * scale, item);
}

/// A side of the result, in pixels of the picture, as latent pixels.
int64_t packed(int64_t pixels, const models::ModelInfo& info, const char* item) {
    if (pixels < 0 || pixels % info.latent.multiple != 0) {
        throw Error(ErrorKind::InvalidInput,
                    "a " + std::string(item) + " of " + std::to_string(pixels) +
                        " pixels does not fit " + info.checkpoint,
                    "choose a multiple of " + std::to_string(info.latent.multiple),
                    item);
    }
    return pixels / info.latent.factor;
}

LatentSize sizeInPixels(const LatentSize& given,
                        const PixelSize& wanted,
                        const LatentUpscaleRequest& settings) {
    if (!settings.model) {
        throw Error(ErrorKind::InvalidInput,
                    "how many pixels a latent pixel stands for is the model's",
                    "connect the model, or choose the size by a scale",
                    "model");
    }
    const models::ModelInfo& info = modelIn(settings.model).info();
    const int64_t height = packed(wanted.height, info, "height");
    const int64_t width = packed(wanted.width, info, "width");
    if (height == 0 && width == 0) {
        throw Error(ErrorKind::InvalidInput,
                    "width and height are both 0",
                    "choose one of them at least; the other keeps the picture's shape",
                    "width");
    }
    const auto ratio = [](int64_t to, int64_t from) {
        return static_cast<double>(to) / static_cast<double>(from);
    };
    return {
        .height = height > 0 ? sideOf(static_cast<double>(height), "height")
                             : scaledLatentSide(given.height, ratio(width, given.width), "width"),
        .width = width > 0 ? sideOf(static_cast<double>(width), "width")
                           : scaledLatentSide(given.width, ratio(height, given.height), "height")};
}

/// Of latents [B, C, h, w]. Refuses an empty latent, a size without a model, a side that is no
/// multiple of what its autoencoder packs into one latent pixel.
Shape upscaledLatentShape(const LatentUpscaleRequest& settings) {
    const Shape latentShape = shapeOf(settings.latent);
    (void)latentMethodNamed(settings.method);
    if (!settings.latent) {
        (void)latentsIn(settings.latent);
    }
    if (latentShape.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    "the latent is empty, there is nothing to upscale",
                    "put a denoise node between, or change the size of the empty latent",
                    "latent");
    }
    if (latentShape.size() != 4) {
        throw Error(ErrorKind::Unsupported,
                    "the latent is " + toText(latentShape) + "; videos are not upscaled",
                    "upscale the pictures that it is decoded to",
                    "latent");
    }
    const LatentSize given{.height = latentShape[2], .width = latentShape[3]};
    const LatentSize size =
        settings.size
            ? sizeInPixels(given, *settings.size, settings)
            : LatentSize{.height = scaledLatentSide(given.height, settings.scale, "scale"),
                         .width = scaledLatentSide(given.width, settings.scale, "scale")};
    return {latentShape[0], latentShape[1], size.height, size.width};
}

/// Where they lie. A sampler's state does not fit them any more and is left out.
std::vector<WireRef> upscaleLatentStage(models::StageContext& context,
                                        const LatentUpscaleRequest& request,
                                        const StageCall&) {
    const LatentMethod& method = latentMethodNamed(request.method);
    const Shape given = shapeOf(request.latent);
    const Shape shape = upscaledLatentShape(request);
    const tensor::Latents& latents = latentsIn(request.latent);
    context.record.put("latent_upscale_in", latents.samples());
    at::Tensor result =
        tensor::kernels::interpolate(latents.samples(), shape[2], shape[3], method.how);
    context.record.put("latent_upscale_out", result);
    tensor::Provenance provenance = latents.provenance();
    if (!provenance.fields.empty()) {
        provenance.set("Hires upscale",
                       formatNumber(static_cast<double>(shape[3]) / static_cast<double>(given[3])));
        provenance.set("Hires upscaler", method.label);
    }
    return {std::make_shared<const tensor::Latents>(std::move(result), std::move(provenance))};
}

StageShapes upscaleLatentShapes(const LatentUpscaleRequest& request, StageFacts&) {
    return {.outputs = {outputOf("LATENT", upscaledLatentShape(request))}};
}

}  // namespace

const StageDef<LatentUpscaleRequest>& stageOf(const LatentUpscaleRequest&) {
    static const StageDef<LatentUpscaleRequest> def{
        .name = "upscale latent",
        .wires = {{"latent", &LatentUpscaleRequest::latent},
                  {"model", &LatentUpscaleRequest::model}},
        .shape = upscaleLatentShapes,
        .run = upscaleLatentStage};
    return def;
}

}  // namespace lowtide::nodes
