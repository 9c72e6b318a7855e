#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/resample.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::nodes {

namespace {

using tensor::kernels::Interpolation;

constexpr double kLargestLatentSide = 1 << 13;  ///< of latents: 65536 pixels of most models

struct LatentMethod {
    Interpolation how;
    std::string_view upscaler;  ///< in A1111's words

    bool operator==(const LatentMethod&) const = default;
};

constexpr LatentMethod kBislerp = {Interpolation::Bislerp, "Latent (bislerp)"};

struct UpscaleLatentAsked {
    WireRef latent;
    WireRef model;  ///< by pixels only: states what a latent pixel stands for
    LatentMethod method = kBislerp;
    bool isByPixels = false;  ///< by width and height, not by the scale
    double scale = 2;         ///< of both sides, rounded to whole latent pixels
    int64_t widthPixels = 0;  ///< of the image; 0: follows from the height
    int64_t heightPixels = 0;
};

struct LatentSize {
    int64_t height = 0;
    int64_t width = 0;
};

/// Latent pixels of a side; rounded half to even, as the reference rounds.
int64_t sideOf(double exact, const char* item) {
    const double side = std::nearbyint(exact);
    if (!(exact > 0) || side > kLargestLatentSide) {
        throw Error(ErrorKind::InvalidInput,
                    message("a side would have {} latent pixels", formatNumber(exact)),
                    message("choose a size that gives sides of 1 to 8192 latent pixels"),
                    item);
    }
    return std::max<int64_t>(1, static_cast<int64_t>(side));
}

int64_t scaledLatentSide(int64_t side, double scale, const char* item) {
    return sideOf(static_cast<double>(side) * scale, item);
}

/// A side of the result, in pixels of the image, as latent pixels.
int64_t packed(int64_t pixels, const models::ModelInfo& info, const char* item) {
    if (pixels < 0 || pixels % info.latent.multiple != 0) {
        throw Error(ErrorKind::InvalidInput,
                    message("a {} of {} pixels does not fit {}", item, pixels, info.checkpoint),
                    message("choose a multiple of {}", info.latent.multiple),
                    item);
    }
    return pixels / info.latent.factor;
}

LatentSize sizeInPixels(const LatentSize& given, const UpscaleLatentAsked& asked) {
    if (!asked.model) {
        throw Error(ErrorKind::InvalidInput,
                    message("how many pixels a latent pixel stands for is the model's"),
                    message("connect the model, or choose the size by a scale"),
                    "model");
    }
    const models::ModelInfo& info = modelIn(asked.model).info();
    const int64_t height = packed(asked.heightPixels, info, "height");
    const int64_t width = packed(asked.widthPixels, info, "width");
    if (height == 0 && width == 0) {
        throw Error(ErrorKind::InvalidInput,
                    message("width and height are both 0"),
                    message("choose one of them at least; the other keeps the image's shape"),
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
Shape upscaledLatentShape(const UpscaleLatentAsked& asked) {
    const Shape latentShape = shapeOf(asked.latent);
    if (!asked.latent) {
        (void)latentsIn(asked.latent);
    }
    if (latentShape.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("the latent is empty, there is nothing to upscale"),
                    message("put a denoise node between, or change the size of the empty latent"),
                    "latent");
    }
    if (latentShape.size() != 4) {
        throw Error(ErrorKind::Unsupported,
                    message("the latent is {}; videos are not upscaled", toText(latentShape)),
                    message("upscale the images that it is decoded to"),
                    "latent");
    }
    const LatentSize given{.height = latentShape[2], .width = latentShape[3]};
    const LatentSize size =
        asked.isByPixels
            ? sizeInPixels(given, asked)
            : LatentSize{.height = scaledLatentSide(given.height, asked.scale, "scale"),
                         .width = scaledLatentSide(given.width, asked.scale, "scale")};
    return {latentShape[0], latentShape[1], size.height, size.width};
}

/// Where they lie. A sampler's state does not fit them any more and is left out.
std::vector<WireRef> upscaleLatentStage(models::StageContext& context,
                                        const UpscaleLatentAsked& asked,
                                        const StageCall&) {
    const Shape given = shapeOf(asked.latent);
    const Shape shape = upscaledLatentShape(asked);
    const tensor::Latents& latents = latentsIn(asked.latent);
    context.record.put("latent_upscale_in", latents.samples());
    at::Tensor result =
        tensor::kernels::interpolate(latents.samples(), shape[2], shape[3], asked.method.how);
    context.record.put("latent_upscale_out", result);
    tensor::Provenance provenance = latents.provenance();
    if (!provenance.fields.empty()) {
        provenance.set("Hires upscale",
                       formatNumber(static_cast<double>(shape[3]) / static_cast<double>(given[3])));
        provenance.set("Hires upscaler", std::string(asked.method.upscaler));
    }
    return {std::make_shared<const tensor::Latents>(std::move(result), std::move(provenance))};
}

StageShapes upscaleLatentShapes(const UpscaleLatentAsked& asked, StageFacts&) {
    return {.outputs = {outputOf("LATENT", upscaledLatentShape(asked))}};
}

ParamDesc upscaledSideParam(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = 0,
            .max = 16384,
            .softMin = 0,
            .softMax = 4096,
            .step = 8};
}

Field<UpscaleLatentAsked> latentMethodField() {
    return choice(
        &UpscaleLatentAsked::method,
        {.id = "method",
         .label = "Method",
         .tooltip = "How values between latent pixels are found."},
        {{"nearest-exact", "Nearest", {Interpolation::NearestExact, "Latent (nearest-exact)"}},
         {"bilinear", "Bilinear", {Interpolation::Bilinear, "Latent"}},
         {"bicubic", "Bicubic", {Interpolation::Bicubic, "Latent (bicubic)"}},
         {"area", "Area", {Interpolation::Area, "Latent (area)"}},
         {"bislerp", "Bislerp", kBislerp}});
}

std::vector<Field<UpscaleLatentAsked>> upscaleLatentFields() {
    return {
        input(&UpscaleLatentAsked::latent,
              {"latent", "Latent", "A latent image that a denoiser made.", "LATENT"}),
        input(&UpscaleLatentAsked::model,
              {"model",
               "Model",
               "Needed for a width and height: its autoencoder determines how many pixels a latent "
               "pixel "
               "stands for.",
               "MODEL",
               /*optional=*/true}),
        latentMethodField(),
        choice(&UpscaleLatentAsked::isByPixels,
               {.id = "by", .label = "Size by", .tooltip = "How the size of the result is given."},
               {{"scale", "Scale", false}, {"size", "Width and height", true}}),
        param(&UpscaleLatentAsked::scale,
              {.id = "scale",
               .label = "Scale",
               .tooltip = "Factor of both sides; the result is rounded to whole latent pixels.",
               .unit = "x",
               .min = 0.01,
               .max = 8,
               .softMin = 0.25,
               .softMax = 4,
               .step = 0.25}),
        param(&UpscaleLatentAsked::widthPixels,
              upscaledSideParam("width",
                                "Width",
                                "Of the image, a multiple of the autoencoder's factor, mostly 8; "
                                "0 follows from the height.")),
        param(&UpscaleLatentAsked::heightPixels,
              upscaledSideParam(
                  "height", "Height", "Of the image, as the width; 0 follows from the width."))};
}

}  // namespace

executor::NodeType upscaleLatentNode(Stages& stages) {
    return nodeOf<UpscaleLatentAsked>(
        stages,
        {.desc = {.id = "latent.upscale",
                  .label = "Upscale latent",
                  .category = "Latent",
                  .tooltip = "Resizes a latent image, to be denoised once more.",
                  .outputs = {{.id = "latent",
                               .label = "Latent",
                               .tooltip = "The latent image at its new size.",
                               .type = "LATENT"}}},
         .fields = upscaleLatentFields(),
         .stage = {
             .name = "upscale latent", .shape = upscaleLatentShapes, .run = upscaleLatentStage}});
}

}  // namespace lowtide::nodes
