// The nodes that restrict where or when the prompts of a conditioning speak: area, mask and time
// range.

#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

using tensor::Conditioning;
using tensor::ConditioningEntry;
using tensor::ConditioningScope;

/// All prompts speak in one rectangle, with one strength. Source: ComfyUI ConditioningSetArea.
struct AreaAsked {
    WireRef conditioning;
    int64_t xPixels = 0;
    int64_t yPixels = 0;
    int64_t widthPixels = 256;
    int64_t heightPixels = 256;
    double strength = 1;
};

/// All prompts speak where a mask is set, in proportion to it. Source: ComfyUI ConditioningSetMask.
struct PromptMaskAsked {
    WireRef conditioning;
    WireRef mask;
    double strength = 1;
};

/// All prompts speak in a part of the schedule. Source: ComfyUI ConditioningSetTimestepRange.
struct TimeAsked {
    WireRef conditioning;
    double start = 0;
    double end = 1;
};

void requireStrength(double strength) {
    requireThat(std::isfinite(strength) && strength >= 0,
                message("the strength is {}", formatNumber(strength)),
                message("choose 0 or more, 1 is usual"),
                "strength");
}

void requireRestriction(const AreaAsked& asked) {
    requireThat(asked.widthPixels > 0 && asked.heightPixels > 0,
                message("the area is {} x {} pixels", asked.widthPixels, asked.heightPixels),
                message("choose a width and height above 0"),
                "width");
    requireThat(asked.xPixels >= 0 && asked.yPixels >= 0,
                message("the area begins at {}, {}", asked.xPixels, asked.yPixels),
                message("choose a position inside the image"),
                "x");
    requireStrength(asked.strength);
}

void requireRestriction(const PromptMaskAsked& asked) {
    const int64_t masks = shapeOf(asked.mask).at(0);
    requireThat(masks == 1,
                message("there are {} masks for a prompt, which takes one", masks),
                message("connect the mask of one image"),
                "mask");
    requireStrength(asked.strength);
}

void requireRestriction(const TimeAsked& asked) {
    requireThat(
        asked.start >= 0 && asked.end <= 1 && asked.start <= asked.end,
        message("the time range is {} to {}", formatNumber(asked.start), formatNumber(asked.end)),
        message("choose a start from 0 to 1 and an end from there to 1"),
        "start");
}

template <class Entry>
void restrictEntry(const AreaAsked& asked, Entry& entry) {
    ConditioningScope& scope = entry.scope;
    scope.area = {.xPixels = asked.xPixels,
                  .yPixels = asked.yPixels,
                  .widthPixels = asked.widthPixels,
                  .heightPixels = asked.heightPixels};
    scope.strength = asked.strength;
}

void restrictEntry(const PromptMaskAsked& asked, models::EntrySpec& entry) {
    entry.tensors[tensor::kPromptMask] = shapeOf(asked.mask);
}

void restrictEntry(const PromptMaskAsked& asked, ConditioningEntry& entry) {
    const c10::Device device = entry.tensors.begin()->second.device();
    entry.tensors[tensor::kPromptMask] =
        tensor::upload(masksIn(asked.mask).values(), device) * asked.strength;
}

template <class Entry>
void restrictEntry(const TimeAsked& asked, Entry& entry) {
    entry.scope.start = asked.start;
    entry.scope.end = asked.end;
}

/// Error{InvalidInput} names the setting that cannot be.
template <class Entry, class Asked>
void restrictEntries(const Asked& asked, std::vector<Entry>& entries) {
    requireRestriction(asked);
    for (Entry& entry : entries) {
        restrictEntry(asked, entry);
    }
}

template <class Asked>
StageShapes restrictedShapes(const Asked& asked, StageFacts&) {
    const models::ConditioningSpec given = specAt(asked.conditioning, "conditioning");
    std::vector<models::EntrySpec> entries = given.entries();
    restrictEntries(asked, entries);
    return {.outputs = {outputOf(models::ConditioningSpec(given.fields(), std::move(entries)))}};
}

/// Tensors of the result are copies: what lies on a wire is its own, and is counted once.
template <class Asked>
std::vector<WireRef> restrictedConditioning(models::StageContext&,
                                            const Asked& asked,
                                            const StageCall&) {
    const Conditioning& given = conditioningIn(asked.conditioning, "conditioning");
    std::vector<ConditioningEntry> entries = given.entries();
    for (ConditioningEntry& entry : entries) {
        for (auto& [name, tensor] : entry.tensors) {
            tensor = tensor.clone();
        }
    }
    restrictEntries(asked, entries);
    return {std::make_shared<const Conditioning>(given.fields(),
                                                 std::move(entries),
                                                 given.prompt(),
                                                 given.clipSkip(),
                                                 given.otherPrompts(),
                                                 given.embeddings())};
}

template <class Asked>
executor::NodeType restrictNode(Stages& stages, NodeDesc desc, std::vector<Field<Asked>> params) {
    desc.category = "Conditioning";
    desc.outputs = {{"conditioning", "Conditioning", "What the denoiser follows.", "CONDITIONING"}};
    params.insert(params.begin(),
                  input(&Asked::conditioning,
                        {"conditioning",
                         "Conditioning",
                         "All prompts in it are restricted alike.",
                         "CONDITIONING"}));
    return nodeOf<Asked>(stages,
                         {.desc = std::move(desc),
                          .fields = std::move(params),
                          .stage = {.name = "conditioning",
                                    .shape = restrictedShapes<Asked>,
                                    .run = restrictedConditioning<Asked>}});
}

ParamDesc areaParam(std::string id, std::string label, std::string tooltip, double least) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = least,
            .max = 16384,
            .softMin = least,
            .softMax = 2048,
            .step = 8};
}

template <class Asked>
Field<Asked> promptStrength() {
    return param(&Asked::strength,
                 {.id = "strength",
                  .label = "Strength",
                  .tooltip = "Its weight in the average where prompts of other nodes apply too.",
                  .min = 0,
                  .max = 10,
                  .softMin = 0,
                  .softMax = 2,
                  .step = 0.05});
}

std::vector<Field<AreaAsked>> areaParams() {
    constexpr double kLeastSide = 8;
    const char* side = "Of the area; what lies beyond the image's edge is cut.";
    return {param(&AreaAsked::xPixels, areaParam("x", "X", "Left edge in the image.", 0)),
            param(&AreaAsked::yPixels, areaParam("y", "Y", "Upper edge in the image.", 0)),
            param(&AreaAsked::widthPixels, areaParam("width", "Width", side, kLeastSide)),
            param(&AreaAsked::heightPixels, areaParam("height", "Height", side, kLeastSide)),
            promptStrength<AreaAsked>()};
}

}  // namespace

executor::NodeType areaNode(Stages& stages) {
    return restrictNode<AreaAsked>(stages,
                                   {.id = "conditioning.area",
                                    .label = "Conditioning area",
                                    .tooltip = "Limits a prompt to one rectangle of the image."},
                                   areaParams());
}

executor::NodeType promptMaskNode(Stages& stages) {
    return restrictNode<PromptMaskAsked>(
        stages,
        {.id = "conditioning.mask",
         .label = "Conditioning mask",
         .tooltip = "Limits a prompt to the masked part of the image."},
        {input(&PromptMaskAsked::mask,
               {"mask",
                "Mask",
                "Where the prompt applies: white fully, grey in part. It takes the image's size.",
                "MASK"}),
         promptStrength<PromptMaskAsked>()});
}

executor::NodeType timeRangeNode(Stages& stages) {
    return restrictNode<TimeAsked>(
        stages,
        {.id = "conditioning.time_range",
         .label = "Conditioning time range",
         .tooltip = "Limits a prompt to a part of the denoising."},
        {param(&TimeAsked::start,
               fractionParam("start", "Start", "Fraction of the schedule; 0 is pure noise.", 0.01)),
         param(&TimeAsked::end,
               fractionParam(
                   "end", "End", "Fraction of the schedule; 1 is the finished image.", 0.01))});
}

}  // namespace lowtide::nodes
