#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/resample.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::nodes {

namespace {

using tensor::kernels::Interpolation;

/// An image laid on another one.
struct CompositeAsked {
    WireRef destination;
    WireRef source;
    WireRef mask;  ///< may be null: all of the source; 1 shows the source, 0 the destination
    int64_t xPixels = 0;
    int64_t yPixels = 0;
    bool isResized = false;  ///< the source gets the destination's size first
};

/// Where source and destination meet along one axis.
struct Meeting {
    int64_t inDestination = 0;
    int64_t inSource = 0;
    int64_t length = 0;
};

Meeting meetingOf(int64_t index, int64_t destination, int64_t source) {
    const int64_t first = std::clamp<int64_t>(index, 0, destination);
    const int64_t last = std::clamp<int64_t>(index + source, 0, destination);
    return {.inDestination = first, .inSource = first - index, .length = last - first};
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
           const CompositeAsked& asked) {
    const Meeting rows = meetingOf(asked.yPixels, target.size(2), source.size(2));
    const Meeting columns = meetingOf(asked.xPixels, target.size(3), source.size(3));
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
    const at::Tensor weight = ofSource(mask);
    seen.mul_(1 - weight).add_(weight * ofSource(source));
}

/// The destination's size, for as many images as the larger of both has.
Shape compositeShape(const CompositeAsked& asked) {
    const Shape destination = shapeOf(asked.destination);
    const Shape source = shapeOf(asked.source);
    const Shape mask = shapeOf(asked.mask);
    const int64_t count = std::max(destination[0], source[0]);
    requireThat(goesWith(destination[0], source[0]),
                message("the source has {} images, the destination {}", source[0], destination[0]),
                message("connect one image, or one for each"),
                "source");
    requireThat(mask.empty() || mask[0] == 1 || mask[0] == count,
                message("there are {} masks for {} images", mask.empty() ? 0 : mask[0], count),
                message("connect one mask, or one for each image"),
                "mask");
    return {count, destination[1], destination[2], destination[3]};
}

/// The source laid on the destination with its upper left corner at (x, y), as far as both meet:
/// mask * source + (1 - mask) * destination. The mask gets the source's size, bilinear, where it
/// has another one. Source: ComfyUI ImageCompositeMasked; where x or y is negative, the part of the
/// source that lies inside is shown (ComfyUI shows its upper left part).
/// Records composite_in and composite_out.
std::vector<WireRef> compositeStage(models::StageContext& context,
                                    const CompositeAsked& asked,
                                    const StageCall&) {
    const tensor::Images& below = imagesIn(asked.destination, "destination");
    const tensor::Images& above = imagesIn(asked.source, "source");
    const at::Tensor& destination = below.pixels();
    const Shape shape = compositeShape(asked);
    const c10::Device device = destination.device();
    at::Tensor source = tensor::upload(above.pixels(), device);
    if (asked.isResized) {
        source = sized(source, shape[2], shape[3]);
    }
    const at::Tensor mask = asked.mask ? sized(tensor::upload(masksIn(asked.mask).values(), device),
                                               source.size(2),
                                               source.size(3))
                                       : at::Tensor();
    context.record.put("composite_in", destination);
    at::Tensor result = destination.expand(shape).clone(at::MemoryFormat::Contiguous);
    layOn(result, source, mask, asked);
    context.record.put("composite_out", result);
    // What was made last records how the image came to be.
    const tensor::Provenance& made =
        above.provenance().fields.empty() ? below.provenance() : above.provenance();
    return {std::make_shared<const tensor::Images>(std::move(result), made)};
}

StageShapes compositeShapes(const CompositeAsked& asked, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", compositeShape(asked))}};
}

ParamDesc offsetParam(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = -65536,
            .max = 65536,
            .softMin = 0,
            .softMax = 2048,
            .step = 8};
}

std::vector<Field<CompositeAsked>> compositeFields() {
    return {input(&CompositeAsked::destination,
                  {"destination", "Destination", "The images below.", "IMAGE"}),
            input(&CompositeAsked::source,
                  {"source", "Source", "The images that are laid on them.", "IMAGE"}),
            input(&CompositeAsked::mask,
                  {"mask",
                   "Mask",
                   "1 shows the source, 0 the destination; without one all of the source is seen.",
                   "MASK",
                   /*optional=*/true}),
            param(&CompositeAsked::xPixels,
                  offsetParam("x", "X", "Where the left edge of the source lies.")),
            param(&CompositeAsked::yPixels,
                  offsetParam("y", "Y", "Where the upper edge of the source lies.")),
            param(&CompositeAsked::isResized,
                  {.id = "resize_source",
                   .label = "Resize source",
                   .tooltip = "On: the source gets the destination's size first."})};
}

}  // namespace

executor::NodeType compositeImageNode(Stages& stages) {
    return nodeOf<CompositeAsked>(
        stages,
        {.desc = {.id = "image.composite",
                  .label = "Composite images",
                  .category = "Image",
                  .tooltip = "Lays images on others, where a mask shows them: pastes back what "
                             "was regenerated.",
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The images, as large as the destination.",
                               .type = "IMAGE"}}},
         .fields = compositeFields(),
         .stage = {.name = "composite", .shape = compositeShapes, .run = compositeStage}});
}

}  // namespace lowtide::nodes
