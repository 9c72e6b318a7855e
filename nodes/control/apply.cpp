#include "nodes/engine/controls.hpp"
#include "nodes/engine/influence.hpp"
#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

/// A hint image for a ControlNet, behind those of `control`.
struct ControlAsked {
    WireRef image;  ///< one image, or one for each of the batch; of any size
    WireRef controlnet;
    WireRef control;  ///< may be null
    double strength = 1;
    double start = 0;  ///< fractions of the denoising pass's calls between which it is run
    double end = 1;
    ControlMode mode = ControlMode::Balanced;
    bool isInverted = false;
};

ControlSettings controlSettings(const ControlAsked& asked) {
    const Influence influence{.strength = asked.strength, .start = asked.start, .end = asked.end};
    requireInfluence(influence,
                     message("the control begins at {} and ends at {}",
                             formatNumber(asked.start),
                             formatNumber(asked.end)));
    return {.influence = influence, .mode = asked.mode, .isInverted = asked.isInverted};
}

/// Those before it and this one, with shapes alone.
std::vector<ControlEntry> entrySpecs(const ControlAsked& asked) {
    const ControlSettings settings = controlSettings(asked);
    const models::ControlNet& net = controlNetIn(asked.controlnet);
    const Shape shape = shapeOf(asked.image);
    requireThat(shape.size() == 4 && shape[2] > 0 && shape[3] > 0,
                message("the hint is no image with a size"),
                message("connect an image"),
                "image");
    std::vector<ControlEntry> entries;
    if (const Controls* before = controlsIn(asked.control)) {
        entries = before->entries();
    }
    entries.push_back(
        {.net = std::static_pointer_cast<const models::ControlNet>(net.shared_from_this()),
         .settings = settings,
         .hintShape = shape});
    return entries;
}

StageShapes controlShapes(const ControlAsked& asked, StageFacts&) {
    std::vector<ControlEntry> entries = entrySpecs(asked);
    executor::ValueSpec output{.type = "CONTROL", .shape = {}};
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
                                  const ControlAsked& asked,
                                  const StageCall&) {
    std::vector<ControlEntry> entries = entrySpecs(asked);
    entries.back().hint = imagesIn(asked.image).pixels();
    for (ControlEntry& entry : entries) {
        entry.hint = ownHint(entry.hint);
    }
    return {std::make_shared<const Controls>(std::move(entries))};
}

std::vector<Field<ControlAsked>> controlFields() {
    constexpr double kMostControl = 10;
    return {
        input(&ControlAsked::image,
              {"image",
               "Hint",
               "What the network learnt to read, of any size: one image, or one for each of the "
               "batch.",
               "IMAGE"}),
        input(&ControlAsked::controlnet,
              {"controlnet", "ControlNet", "The network that reads the hint.", "CONTROLNET"}),
        input(&ControlAsked::control,
              {"control",
               "Control",
               "Other hints, which are followed too.",
               "CONTROL",
               /*optional=*/true}),
        param(&ControlAsked::strength,
              {.id = "strength",
               .label = "Strength",
               .tooltip = "How much of what the network finds is added: 1 as trained, 0 nothing, "
                          "without running it.",
               .min = -kMostControl,
               .max = kMostControl,
               .softMin = 0,
               .softMax = 2,
               .step = 0.05}),
        param(&ControlAsked::start,
              fractionParam(
                  "start",
                  "Start",
                  "Fraction of the steps of a denoising pass before it joins; until then it "
                  "is not run.")),
        param(&ControlAsked::end,
              fractionParam("end", "End", "Fraction of the steps after which it is run no more.")),
        choice(&ControlAsked::mode,
               {.id = "mode",
                .label = "Mode",
                .tooltip = "Which of prompt and hint wins. The second is the guess mode of "
                           "diffusers: it works without a prompt too."},
               {{"balanced", "Balanced", ControlMode::Balanced},
                {"guess", "Hint is more important", ControlMode::Guess},
                {"prompt", "Prompt is more important", ControlMode::Prompt}}),
        param(&ControlAsked::isInverted,
              {.id = "invert",
               .label = "Invert hint",
               .tooltip = "For black lines on white, where the network learnt white on black.",
               .advanced = true})};
}

}  // namespace

executor::NodeType applyControlNode(Stages& stages) {
    return nodeOf<ControlAsked>(
        stages,
        {.desc = {.id = "control.apply",
                  .label = "Apply ControlNet",
                  .category = "ControlNet",
                  .tooltip = "Makes the denoiser follow a hint image: edges, depth, a pose.",
                  .outputs = {{.id = "control",
                               .label = "Control",
                               .tooltip = "All hints: connect it to Denoise, or to the next hint.",
                               .type = "CONTROL"}}},
         .fields = controlFields(),
         .stage = {.name = "control", .shape = controlShapes, .run = controlStage}});
}

}  // namespace lowtide::nodes
