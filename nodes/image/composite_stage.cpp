#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/resample.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::nodes {

namespace {

using tensor::kernels::Interpolation;

/// Where source and destination meet along one axis.
struct Meeting {
    int64_t inDestination = 0;
    int64_t inSource = 0;
    int64_t length = 0;
};

Meeting meetingOf(int64_t place, int64_t destination, int64_t source) {
    const int64_t first = std::clamp<int64_t>(place, 0, destination);
    const int64_t last = std::clamp<int64_t>(place + source, 0, destination);
    return {.inDestination = first, .inSource = first - place, .length = last - first};
}

bool goesWith(int64_t count, int64_t other) {
    return count == 1 || other == 1 || count == other;
}

at::Tensor sized(const at::Tensor& planes, int64_t height, int64_t width) {
    const bool fits = planes.size(2) == height && planes.size(3) == width;
    return fits ? planes
                : tensor::kernels::interpolate(planes, height, width, Interpolation::Bilinear);
}

/// `target` is written where both meet.
void layOn(at::Tensor& target,
           const at::Tensor& source,
           const at::Tensor& mask,
           const CompositeRequest& request) {
    const Meeting rows = meetingOf(request.yPixels, target.size(2), source.size(2));
    const Meeting columns = meetingOf(request.xPixels, target.size(3), source.size(3));
    if (rows.length <= 0 || columns.length <= 0) {
        return;
    }
    const auto ofSource = [&](const at::Tensor& planes) {
        return planes.narrow(2, rows.inSource, rows.length)
            .narrow(3, columns.inSource, columns.length);
    };
    at::Tensor seen = target.narrow(2, rows.inDestination, rows.length)
                          .narrow(3, columns.inDestination, columns.length);
    if (!mask.defined()) {
        seen.copy_(ofSource(source));
        return;
    }
    const at::Tensor share = ofSource(mask);
    seen.mul_(1 - share).add_(share * ofSource(source));
}

/// The destination's size, for as many pictures as the larger of both has.
Shape compositeShape(const CompositeRequest& request) {
    const Shape destination = shapeOf(request.destination);
    const Shape source = shapeOf(request.source);
    const Shape mask = shapeOf(request.mask);
    const int64_t count = std::max(destination[0], source[0]);
    requireThat(goesWith(destination[0], source[0]),
                "there are " + std::to_string(source[0]) + " pictures to lay on " +
                    std::to_string(destination[0]),
                "connect one picture, or one for each",
                "source");
    requireThat(mask.empty() || mask[0] == 1 || mask[0] == count,
                "there are " + (mask.empty() ? "0" : std::to_string(mask[0])) + " masks for " +
                    std::to_string(count) + " pictures",
                "connect one mask, or one for each picture",
                "mask");
    return {count, destination[1], destination[2], destination[3]};
}

/// The source laid on the destination with its upper left corner at (x, y), as far as both meet:
/// mask * source + (1 - mask) * destination. The mask gets the source's size, bilinear, where it
/// has another one. Source: ComfyUI ImageCompositeMasked; where x or y is negative, the part of the
/// source that lies inside is shown (ComfyUI shows its upper left part).
/// Records composite_in and composite_out.
std::vector<WireRef> compositeStage(models::StageContext& context,
                                    const CompositeRequest& request,
                                    const StageCall&) {
    const tensor::Images& below = imagesIn(request.destination, "destination");
    const tensor::Images& above = imagesIn(request.source, "source");
    const at::Tensor& destination = below.pixels();
    const Shape shape = compositeShape(request);
    const c10::Device device = destination.device();
    at::Tensor source = tensor::upload(above.pixels(), device);
    if (request.isResized) {
        source = sized(source, shape[2], shape[3]);
    }
    const at::Tensor mask = request.mask
                                ? sized(tensor::upload(masksIn(request.mask).values(), device),
                                        source.size(2),
                                        source.size(3))
                                : at::Tensor();
    context.record.put("composite_in", destination);
    at::Tensor result = destination.expand(shape).clone(at::MemoryFormat::Contiguous);
    layOn(result, source, mask, request);
    context.record.put("composite_out", result);
    // What was made last says how the picture came to be.
    const tensor::Provenance& made =
        above.provenance().fields.empty() ? below.provenance() : above.provenance();
    return {std::make_shared<const tensor::Images>(std::move(result), made)};
}

StageShapes compositeShapes(const CompositeRequest& request, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", compositeShape(request))}};
}

}  // namespace

const StageDef<CompositeRequest>& stageOf(const CompositeRequest&) {
    static const StageDef<CompositeRequest> def{
        .name = "composite",
        .wires = {{"destination", &CompositeRequest::destination},
                  {"source", &CompositeRequest::source},
                  {"mask", &CompositeRequest::mask}},
        .shape = compositeShapes,
        .run = compositeStage};
    return def;
}

}  // namespace lowtide::nodes
