#include "nodes/image/fit_stage.hpp"

#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

namespace lowtide::nodes {

namespace {

constexpr int64_t kLargestFitSide = 1 << 16;

double ratioOf(const PixelSize& size) {
    return static_cast<double>(size.width) / static_cast<double>(size.height);
}

/// Half to even, as Python rounds.
int64_t rounded(double value) {
    return static_cast<int64_t>(std::nearbyint(value));
}

/// A side that nobody chose, as a multiple.
int64_t followingSide(double exact, const std::string& mode, int64_t multiple) {
    const double count = exact / static_cast<double>(multiple);
    // Sides that follow from each other are whole up to what divisions lose.
    constexpr double kLoss = 1e-9;
    const double whole = mode == "crop"  ? std::floor(count + kLoss)
                         : mode == "pad" ? std::ceil(count - kLoss)
                                         : std::nearbyint(count);
    return std::max<int64_t>(1, static_cast<int64_t>(whole)) * multiple;
}

void checkSide(int64_t side, int64_t multiple, const char* item) {
    const int64_t below = std::max<int64_t>(side / multiple, 1) * multiple;
    requireThat(side >= 0 && side <= kLargestFitSide,
                "the " + std::string(item) + " is " + std::to_string(side),
                "choose at most 65536 pixels, or 0 to let it follow",
                item);
    requireThat(side % multiple == 0,
                "the " + std::string(item) + " of " + std::to_string(side) +
                    " pixels is no multiple of " + std::to_string(multiple),
                "choose " + std::to_string(below) + " or " + std::to_string(below + multiple) +
                    ", or another multiple",
                item);
}

PixelSize targetSize(const PixelSize& source, const FitRequest& settings, int64_t multiple) {
    const PixelSize& wanted = settings.size;
    checkSide(wanted.width, multiple, "width");
    checkSide(wanted.height, multiple, "height");
    const double ratio = ratioOf(source);
    const double width = wanted.height > 0 ? static_cast<double>(wanted.height) * ratio
                                           : static_cast<double>(source.width);
    const double height = wanted.width > 0 ? static_cast<double>(wanted.width) / ratio
                                           : static_cast<double>(source.height);
    const PixelSize target{
        .width = wanted.width > 0 ? wanted.width : followingSide(width, settings.mode, multiple),
        .height =
            wanted.height > 0 ? wanted.height : followingSide(height, settings.mode, multiple)};
    requireThat(std::max(target.width, target.height) <= kLargestFitSide,
                "the result would have " + std::to_string(target.width) + " x " +
                    std::to_string(target.height) + " pixels",
                "choose both sides, at most 65536 pixels each",
                wanted.width > 0 ? "width" : "height");
    return target;
}

FitGeometry croppedTo(const PixelSize& source, const PixelSize& target) {
    const double old = ratioOf(source);
    const double wanted = ratioOf(target);
    const auto cut = [](int64_t side, double share) {
        const auto whole = static_cast<double>(side);
        return std::clamp<int64_t>(rounded((whole - whole * share) / 2), 0, (side - 1) / 2);
    };
    const int64_t x = old > wanted ? cut(source.width, wanted / old) : 0;
    const int64_t y = old < wanted ? cut(source.height, old / wanted) : 0;
    return {.part = {.width = source.width - 2 * x, .height = source.height - 2 * y},
            .partX = x,
            .partY = y,
            .scaled = target,
            .size = target};
}

FitGeometry paddedTo(const PixelSize& source, const PixelSize& target) {
    const PixelSize turned{.width = source.height, .height = source.width};
    PixelSize scaled = target;
    if (ratioOf(source) > ratioOf(target)) {
        const double height = ratioOf(turned) * static_cast<double>(target.width);
        scaled.height = std::clamp<int64_t>(rounded(height), 1, target.height);
    } else {
        const double width = ratioOf(source) * static_cast<double>(target.height);
        scaled.width = std::clamp<int64_t>(rounded(width), 1, target.width);
    }
    return {.part = source,
            .scaled = scaled,
            .left = rounded(static_cast<double>(target.width - scaled.width) / 2),
            .top = rounded(static_cast<double>(target.height - scaled.height) / 2),
            .size = target};
}

}  // namespace

FitGeometry fitGeometry(const PixelSize& source, const FitRequest& settings, int64_t multiple) {
    const PixelSize target = targetSize(source, settings, multiple);
    if (settings.mode == "crop") {
        return croppedTo(source, target);
    }
    if (settings.mode == "pad") {
        return paddedTo(source, target);
    }
    requireThat(settings.mode == "stretch",
                "there is no way \"" + settings.mode + "\" to fit a picture",
                "choose crop, pad or stretch",
                "mode");
    return {.part = source, .scaled = target, .size = target};
}

namespace {

constexpr int64_t kRowAxis = 2;
constexpr int64_t kColumnAxis = 3;

tensor::kernels::Resample fitFilter(const std::string& name) {
    using tensor::kernels::Resample;
    requireThat(name == "lanczos" || name == "bicubic" || name == "area",
                "there is no method \"" + name + "\" to resample a picture",
                "choose lanczos, bicubic or area",
                "method");
    return name == "lanczos" ? Resample::Lanczos
           : name == "area"  ? Resample::Area
                             : Resample::Bicubic;
}

/// Level of the colour that is laid around; empty: that of the picture's edge.
std::optional<double> fillLevel(const std::string& name) {
    requireThat(name == "grey" || name == "black" || name == "white" || name == "edge",
                "there is no fill \"" + name + "\"",
                "choose grey, black, white or edge",
                "fill");
    if (name == "edge") {
        return std::nullopt;
    }
    return name == "grey" ? 0.5 : name == "white" ? 1.0 : 0.0;
}

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

/// Where nothing of the picture is, is masked; without a mask nothing else is.
at::Tensor fittedMask(const FitRequest& request, const FitGeometry& fit, const at::Tensor& pixels) {
    constexpr double kWholly = 1;
    if (request.mask) {
        const at::Tensor mask = tensor::upload(masksIn(request.mask).values(), pixels.device());
        return fittedPlanes(mask, fit, tensor::kernels::Resample::Area, kWholly);
    }
    at::Tensor mask = at::full({1, 1, fit.size.height, fit.size.width}, kWholly, pixels.options());
    insideOf(mask, fit).zero_();
    return mask;
}

/// What the request makes of pictures [B, 3, H, W] and a mask [1 or B, 1, H, W].
FitGeometry fitFor(const FitRequest& settings) {
    (void)fitFilter(settings.method);
    (void)fillLevel(settings.fill);
    requireThat(settings.multiple >= 1 && settings.multiple <= 4096,
                "the multiple is " + std::to_string(settings.multiple),
                "choose a number from 1 to 4096",
                "multiple");
    const Shape image = shapeOf(settings.image);
    if (settings.mask) {
        checkMaskFits(shapeOf(settings.mask), image);
    }
    const int64_t multiple =
        settings.model ? std::lcm(settings.multiple, modelIn(settings.model).info().latent.multiple)
                       : settings.multiple;
    return fitGeometry({.width = image[3], .height = image[2]}, settings, multiple);
}

std::vector<WireRef> fitStage(models::StageContext& context,
                              const FitRequest& request,
                              const StageCall&) {
    const tensor::Images& given = imagesIn(request.image);
    const at::Tensor& pixels = given.pixels();
    const FitGeometry fit = fitFor(request);
    context.record.put("fit_in", pixels);
    at::Tensor result =
        fittedPlanes(pixels, fit, fitFilter(request.method), fillLevel(request.fill));
    context.record.put("fit_out", result);
    at::Tensor masked = fittedMask(request, fit, pixels);
    return {std::make_shared<const tensor::Images>(std::move(result), given.provenance()),
            std::make_shared<const tensor::Masks>(std::move(masked))};
}

StageShapes fitShapes(const FitRequest& request, StageFacts&) {
    const PixelSize size = fitFor(request).size;
    const Shape image = shapeOf(request.image);
    const int64_t masks = request.mask ? shapeOf(request.mask)[0] : 1;
    return {.outputs = {outputOf("IMAGE", {image[0], image[1], size.height, size.width}),
                        outputOf("MASK", {masks, 1, size.height, size.width})}};
}

}  // namespace

const StageDef<FitRequest>& stageOf(const FitRequest&) {
    static const StageDef<FitRequest> def{.name = "fit",
                                          .wires = {{"image", &FitRequest::image},
                                                    {"mask", &FitRequest::mask},
                                                    {"model", &FitRequest::model}},
                                          .shape = fitShapes,
                                          .run = fitStage};
    return def;
}

}  // namespace lowtide::nodes
