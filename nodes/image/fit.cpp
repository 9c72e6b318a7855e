#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/image/fit_geometry.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <numeric>
#include <optional>
#include <vector>

namespace lowtide::nodes {

namespace {

using image::FitGeometry;
using image::FitMode;
using tensor::kernels::Resample;

/// Images, and their masks, at a size that a model takes.
struct FitAsked {
    WireRef image;
    WireRef mask;       ///< may be null; goes the same way
    WireRef model;      ///< may be null; sides are multiples of what it wants too
    int64_t width = 0;  ///< with the height 0 0: the image's own, as multiples
    int64_t height = 0;
    int64_t multiple = 8;  ///< of both sides
    FitMode mode = FitMode::Crop;
    Resample method = Resample::Lanczos;  ///< of the image
    /// Level of what is laid around a padded image; empty: that of its edge.
    std::optional<double> fill = kGrey;

    static constexpr double kGrey = 0.5;
};

constexpr int64_t kRowAxis = 2;
constexpr int64_t kColumnAxis = 3;

at::Tensor cutOut(const at::Tensor& planes, const FitGeometry& fit) {
    return planes.narrow(kRowAxis, fit.partY, fit.part.height)
        .narrow(kColumnAxis, fit.partX, fit.part.width);
}

at::Tensor insideOf(const at::Tensor& planes, const FitGeometry& fit) {
    return planes.narrow(kRowAxis, fit.top, fit.scaled.height)
        .narrow(kColumnAxis, fit.left, fit.scaled.width);
}

bool isPadded(const FitGeometry& fit) {
    return fit.scaled.width != fit.size.width || fit.scaled.height != fit.size.height;
}

/// The first and the last row, or column, as often as they are missing.
at::Tensor extendedEdge(const at::Tensor& planes, int64_t axis, int64_t before, int64_t after) {
    std::vector<int64_t> first = planes.sizes().vec();
    std::vector<int64_t> last = first;
    first[static_cast<size_t>(axis)] = before;
    last[static_cast<size_t>(axis)] = after;
    return at::cat({planes.narrow(axis, 0, 1).expand(first),
                    planes,
                    planes.narrow(axis, planes.size(axis) - 1, 1).expand(last)},
                   axis);
}

/// `level`: empty for the colours of the edge.
at::Tensor padded(const at::Tensor& planes, const FitGeometry& fit, std::optional<double> level) {
    if (!isPadded(fit)) {
        return planes;
    }
    if (!level) {
        const at::Tensor rows =
            extendedEdge(planes, kRowAxis, fit.top, fit.size.height - fit.scaled.height - fit.top);
        return extendedEdge(
            rows, kColumnAxis, fit.left, fit.size.width - fit.scaled.width - fit.left);
    }
    at::Tensor whole = at::full({planes.size(0), planes.size(1), fit.size.height, fit.size.width},
                                *level,
                                planes.options());
    insideOf(whole, fit).copy_(planes);
    return whole;
}

at::Tensor fittedPlanes(const at::Tensor& planes,
                        const FitGeometry& fit,
                        tensor::kernels::Resample filter,
                        std::optional<double> level) {
    return padded(
        tensor::kernels::resample(cutOut(planes, fit), fit.scaled.height, fit.scaled.width, filter),
        fit,
        level);
}

/// Where nothing of the image is, is masked; without a mask nothing else is.
at::Tensor fittedMask(const FitAsked& asked, const FitGeometry& fit, const at::Tensor& pixels) {
    constexpr double kWholly = 1;
    if (asked.mask) {
        const at::Tensor mask = tensor::upload(masksIn(asked.mask).values(), pixels.device());
        return fittedPlanes(mask, fit, tensor::kernels::Resample::Area, kWholly);
    }
    at::Tensor mask = at::full({1, 1, fit.size.height, fit.size.width}, kWholly, pixels.options());
    insideOf(mask, fit).zero_();
    return mask;
}

/// What is made of images [B, 3, H, W] and a mask [1 or B, 1, H, W].
FitGeometry fitFor(const FitAsked& asked) {
    requireThat(asked.multiple >= 1 && asked.multiple <= 4096,
                message("the multiple is {}", asked.multiple),
                message("choose a number from 1 to 4096"),
                "multiple");
    const Shape shape = shapeOf(asked.image);
    if (asked.mask) {
        checkMaskFits(shapeOf(asked.mask), shape);
    }
    const int64_t multiple =
        asked.model ? std::lcm(asked.multiple, modelIn(asked.model).info().latent.multiple)
                    : asked.multiple;
    return image::fitGeometry({.width = shape[3], .height = shape[2]},
                              {.width = asked.width, .height = asked.height},
                              asked.mode,
                              multiple);
}

std::vector<WireRef> fitStage(models::StageContext& context,
                              const FitAsked& asked,
                              const StageCall&) {
    const tensor::Images& given = imagesIn(asked.image);
    const at::Tensor& pixels = given.pixels();
    const FitGeometry fit = fitFor(asked);
    context.record.put("fit_in", pixels);
    at::Tensor result = fittedPlanes(pixels, fit, asked.method, asked.fill);
    context.record.put("fit_out", result);
    at::Tensor masked = fittedMask(asked, fit, pixels);
    return {std::make_shared<const tensor::Images>(std::move(result), given.provenance()),
            std::make_shared<const tensor::Masks>(std::move(masked))};
}

StageShapes fitShapes(const FitAsked& asked, StageFacts&) {
    const image::PixelSize size = fitFor(asked).size;
    const Shape image = shapeOf(asked.image);
    const int64_t masks = asked.mask ? shapeOf(asked.mask)[0] : 1;
    return {.outputs = {outputOf("IMAGE", {image[0], image[1], size.height, size.width}),
                        outputOf("MASK", {masks, 1, size.height, size.width})}};
}

ParamDesc fitSideParam(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = 0,
            .max = 65536,
            .softMin = 0,
            .softMax = 2048,
            .step = 8};
}

std::vector<Field<FitAsked>> fitFields() {
    return {
        input(&FitAsked::image, {"image", "Image", "The images.", "IMAGE"}),
        input(&FitAsked::mask,
              {"mask", "Mask", "Goes the same way as the images.", "MASK", /*optional=*/true}),
        input(&FitAsked::model,
              {"model",
               "Model",
               "Sides become multiples of what its autoencoder wants.",
               "MODEL",
               /*optional=*/true}),
        param(&FitAsked::width,
              fitSideParam("width",
                           "Width",
                           "Of the result; 0 follows from the height, or is the image's own.")),
        param(&FitAsked::height,
              fitSideParam("height",
                           "Height",
                           "Of the result; 0 follows from the width, or is the image's own.")),
        choice(&FitAsked::mode,
               {.id = "mode",
                .label = "Mode",
                .tooltip = "What happens to an image of another shape."},
               {{"crop", "Crop", FitMode::Crop},
                {"pad", "Pad", FitMode::Pad},
                {"stretch", "Stretch", FitMode::Stretch}}),
        param(&FitAsked::multiple,
              {.id = "multiple",
               .label = "Multiple of",
               .tooltip = "Both sides become multiples of it, and of what a connected model wants.",
               .unit = "px",
               .min = 1,
               .max = 4096,
               .softMin = 1,
               .softMax = 64,
               .step = 8}),
        choice(
            &FitAsked::method,
            {.id = "method", .label = "Method", .tooltip = "How pixels are found between pixels."},
            {{"lanczos", "Lanczos", Resample::Lanczos},
             {"bicubic", "Bicubic", Resample::Bicubic},
             {"area", "Area", Resample::Area}}),
        choice(&FitAsked::fill,
               {.id = "fill", .label = "Fill", .tooltip = "What is laid around a padded image."},
               {{"grey", "Grey", FitAsked::kGrey},
                {"black", "Black", 0.0},
                {"white", "White", 1.0},
                {"edge", "Edge of the image", std::nullopt}})};
}

}  // namespace

executor::NodeType fitImageNode(Stages& stages) {
    return nodeOf<FitAsked>(
        stages,
        {.desc = {.id = "image.fit",
                  .label = "Fit image",
                  .category = "Image",
                  .tooltip = "Crops, pads or stretches images to a size that a model takes.",
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The images at their new size.",
                               .type = "IMAGE"},
                              {.id = "mask",
                               .label = "Mask",
                               .tooltip = "The mask at its new size; what was padded is masked.",
                               .type = "MASK"}}},
         .fields = fitFields(),
         .stage = {.name = "fit", .shape = fitShapes, .run = fitStage}});
}

}  // namespace lowtide::nodes
