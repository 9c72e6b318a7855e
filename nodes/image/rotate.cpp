#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

enum class Rotation : uint8_t { None, Right, Half, Left };
enum class Flip : uint8_t { None, Horizontal, Vertical };

/// Images rotated by steps of 90 degrees, then mirrored.
struct RotateAsked {
    WireRef image;
    Rotation rotation = Rotation::Right;
    Flip flip = Flip::None;
};

/// Whether width and height are exchanged.
bool isOnItsSide(Rotation rotation) {
    return rotation == Rotation::Right || rotation == Rotation::Left;
}

/// The axes of [B, 3, H, W] that are read backwards, after width and height were exchanged.
std::vector<int64_t> mirroredAxes(const RotateAsked& asked) {
    constexpr int64_t kRows = 2;
    constexpr int64_t kColumns = 3;
    const bool isHalf = asked.rotation == Rotation::Half;
    std::vector<int64_t> axes;
    if ((isHalf || asked.rotation == Rotation::Left) != (asked.flip == Flip::Vertical)) {
        axes.push_back(kRows);
    }
    if ((isHalf || asked.rotation == Rotation::Right) != (asked.flip == Flip::Horizontal)) {
        axes.push_back(kColumns);
    }
    return axes;
}

/// ATen's flip has no kernel for the meta device of a dry run.
at::Tensor mirrored(const at::Tensor& pixels, const std::vector<int64_t>& axes) {
    return pixels.is_meta() ? at::empty_like(pixels) : pixels.flip(axes);
}

StageShapes rotateShapes(const RotateAsked& asked, StageFacts&) {
    Shape shape = shapeOf(asked.image);
    if (isOnItsSide(asked.rotation)) {
        std::swap(shape[2], shape[3]);
    }
    return {.outputs = {outputOf("IMAGE", shape)}};
}

std::vector<WireRef> rotateStage(models::StageContext& context,
                                 const RotateAsked& asked,
                                 const StageCall&) {
    const tensor::Images& given = imagesIn(asked.image);
    context.record.put("rotate_in", given.pixels());
    at::Tensor result = given.pixels();  // [B, 3, H, W]
    if (isOnItsSide(asked.rotation)) {
        result = result.transpose(2, 3).contiguous();  // [B, 3, H, W] -> [B, 3, W, H]
    }
    if (const std::vector<int64_t> axes = mirroredAxes(asked); !axes.empty()) {
        result = mirrored(result, axes);
    }
    context.record.put("rotate_out", result);
    return {std::make_shared<const tensor::Images>(std::move(result), given.provenance())};
}

}  // namespace

executor::NodeType rotateImageNode(Stages& stages) {
    using Asked = RotateAsked;
    return nodeOf<Asked>(
        stages,
        {.desc = {.id = "image.rotate",
                  .label = "Rotate image",
                  .category = "Image",
                  .tooltip = "Rotates images by steps of 90° and mirrors them.",
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The rotated images.",
                               .type = "IMAGE"}}},
         .fields = {input(&Asked::image, {"image", "Image", "The images.", "IMAGE"}),
                    choice(&Asked::rotation,
                           {.id = "rotation",
                            .label = "Rotation",
                            .tooltip = "How far the images are rotated."},
                           {{"none", "None", Rotation::None},
                            {"right", "90° to the right", Rotation::Right},
                            {"half", "180°", Rotation::Half},
                            {"left", "90° to the left", Rotation::Left}}),
                    choice(&Asked::flip,
                           {.id = "flip",
                            .label = "Flip",
                            .tooltip = "How the images are mirrored after the rotation."},
                           {{"none", "None", Flip::None},
                            {"horizontal", "Left and right", Flip::Horizontal},
                            {"vertical", "Top and bottom", Flip::Vertical}})},
         .stage = {.name = "rotate", .shape = rotateShapes, .run = rotateStage}});
}

}  // namespace lowtide::nodes
