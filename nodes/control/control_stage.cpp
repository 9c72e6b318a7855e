#include "nodes/control/control_request.hpp"
#include "nodes/control/controls.hpp"
#include "nodes/control/influence.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <utility>

namespace lowtide::nodes {

namespace {

ControlMode controlModeNamed(const std::string& name) {
    requireThat(name == "balanced" || name == "guess" || name == "prompt",
                "there is no control mode \"" + name + "\"",
                "choose balanced, guess or prompt",
                "mode");
    return name == "guess"    ? ControlMode::Guess
           : name == "prompt" ? ControlMode::Prompt
                              : ControlMode::Balanced;
}

ControlSettings controlSettings(const ControlRequest& request) {
    const Influence influence{
        .strength = request.strength, .start = request.start, .end = request.end};
    requireInfluence(influence,
                     "the control begins at " + formatNumber(request.start) + " and ends at " +
                         formatNumber(request.end));
    return {.influence = influence,
            .mode = controlModeNamed(request.mode),
            .isInverted = request.isInverted};
}

/// Those before it and this one, with shapes alone.
std::vector<ControlEntry> outlinedEntries(const ControlRequest& request) {
    const ControlSettings settings = controlSettings(request);
    const models::ControlNet& net = controlNetIn(request.controlnet);
    const Shape shape = shapeOf(request.image);
    requireThat(shape.size() == 4 && shape[2] > 0 && shape[3] > 0,
                "the hint is no picture with a size",
                "connect a picture",
                "image");
    std::vector<ControlEntry> entries;
    if (const Controls* before = controlsIn(request.control)) {
        entries = before->entries();
    }
    entries.push_back(
        {.net = std::static_pointer_cast<const models::ControlNet>(net.shared_from_this()),
         .settings = settings,
         .hintShape = shape});
    return entries;
}

StageShapes controlShapes(const ControlRequest& request, StageFacts&) {
    std::vector<ControlEntry> entries = outlinedEntries(request);
    StageOutput output{.type = "CONTROL", .shape = {}};
    for (const ControlEntry& entry : entries) {
        output.tensors.push_back(bytesOf(entry.hintShape));
    }
    output.value = std::make_shared<const Controls>(std::move(entries));
    return {.outputs = {std::move(output)}};
}

/// Its own, in host memory: what lies on a wire is counted once, and a hint has no use on a device
/// before a denoiser has its size.
at::Tensor ownHint(const at::Tensor& hint) {
    const at::Tensor here = tensor::spill(hint);
    return here.is_same(hint) ? hint.clone() : here;
}

std::vector<WireRef> controlStage(models::StageContext&,
                                  const ControlRequest& request,
                                  const StageCall&) {
    std::vector<ControlEntry> entries = outlinedEntries(request);
    entries.back().hint = imagesIn(request.image).pixels();
    for (ControlEntry& entry : entries) {
        entry.hint = ownHint(entry.hint);
    }
    return {std::make_shared<const Controls>(std::move(entries))};
}

}  // namespace

const StageDef<ControlRequest>& stageOf(const ControlRequest&) {
    static const StageDef<ControlRequest> def{.name = "control",
                                              .wires = {{"controlnet", &ControlRequest::controlnet},
                                                        {"image", &ControlRequest::image},
                                                        {"control", &ControlRequest::control}},
                                              .shape = controlShapes,
                                              .run = controlStage};
    return def;
}

}  // namespace lowtide::nodes
