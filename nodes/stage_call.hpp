#pragma once

#include "plugin/base/json.hpp"
#include "plugin/executor/node.hpp"
#include "plugin/models/stages.hpp"

#include <utility>

namespace lowtide::nodes {

/// Empty where the host wants no pictures of what is not done yet.
[[nodiscard]] inline std::function<void(const models::LivePicture&)> previewOf(
    executor::Context& context) {
    if (!context.wantsPreviews()) {
        return {};
    }
    return [&context](const models::LivePicture& live) {
        context.previewStep(live.picture,
                            {.done = live.done, .total = live.total, .scale = live.scale});
    };
}

/// The run that a node is part of, as the stages see it. Valid while `context` is.
[[nodiscard]] inline models::StageCall stageCall(executor::Context& context) {
    return {.node = std::string(context.nodeId()),
            .stop = context.stop(),
            .progress = [&context](std::string_view phase,
                                   double done,
                                   double total) { context.progress(phase, done, total); },
            .preview = previewOf(context),
            .tell = [&context](std::string_view name,
                               Json facts) { context.tell(name, std::move(facts)); },
            .issue = [&context](Issue issue) { context.issue(std::move(issue)); }};
}

/// The model on the port "model" as it is known before the run.
[[nodiscard]] inline memory::WireRef modelOf(const executor::OutlineContext& context) {
    return context.input("model")->value;
}

/// Shape of what comes in by an optional port; empty: it is not connected.
[[nodiscard]] inline Shape shapeOf(const executor::OutlineContext& context, std::string_view port) {
    const executor::ValueOutline* input = context.input(port);
    return input ? input->shape : Shape();
}

/// What is known of it beyond its shape; may be null.
[[nodiscard]] inline memory::WireRef knownOf(const executor::OutlineContext& context,
                                             std::string_view port) {
    const executor::ValueOutline* input = context.input(port);
    return input ? input->value : nullptr;
}

/// A value of a stage as it is known before the run.
[[nodiscard]] inline executor::ValueOutline valueOutline(const models::StageOutline& stage) {
    return {.type = stage.outputType,
            .shape = stage.outputShape,
            .tensors = stage.tensors,
            .hostBytes = stage.hostBytes,
            .value = stage.outputValue};
}

/// What a node says whose one output is what the stage makes.
[[nodiscard]] inline executor::WorkOutline workOutline(models::StageOutline stage,
                                                       std::string port) {
    return {.components = std::move(stage.components),
            .outputs = {{std::move(port), valueOutline(stage)}},
            .walk = std::move(stage.walk),
            .precisions = std::move(stage.precisions),
            .issues = std::move(stage.issues)};
}

/// The type of a node whose two functions ask the stages.
[[nodiscard]] inline executor::NodeType stageNode(
    models::Stages& stages,
    NodeDesc desc,
    executor::WorkOutline (*outline)(models::Stages&, const executor::OutlineContext&),
    void (*run)(models::Stages&, executor::Context&),
    std::string collectAfter = {}) {
    return {.desc = std::move(desc),
            .outline = [&stages, outline](const auto& context) { return outline(stages, context); },
            .run = [&stages, run](executor::Context& context) { run(stages, context); },
            .collectAfter = std::move(collectAfter)};
}

}  // namespace lowtide::nodes
