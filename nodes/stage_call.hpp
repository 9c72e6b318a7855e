#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/base/json.hpp"
#include "plugin/executor/node.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace lowtide::nodes {

/// Empty where the host wants no pictures of what is not done yet.
[[nodiscard]] inline std::function<void(const LivePicture&)> previewOf(executor::Context& context) {
    if (!context.wantsPreviews()) {
        return {};
    }
    return [&context](const LivePicture& live) {
        context.previewStep(live.picture,
                            {.done = live.done, .total = live.total, .scale = live.scale});
    };
}

/// The run that a node is part of, as the stages see it. Valid while `context` is.
[[nodiscard]] inline StageCall stageCall(executor::Context& context) {
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

/// What comes in by a port, or what is known of it; null: it is not connected.
using WireAt = std::function<memory::WireRef(std::string_view port)>;

/// Of a node before the run.
[[nodiscard]] inline WireAt knownAt(const executor::OutlineContext& context) {
    return [&context](std::string_view port) -> memory::WireRef {
        const executor::ValueOutline* input = context.input(port);
        return input ? std::make_shared<const KnownValue>(input->type, input->shape, input->value)
                     : nullptr;
    };
}

/// A value of a stage as it is known before the run.
[[nodiscard]] inline executor::ValueOutline valueOutline(const StageOutput& output) {
    return {.type = output.type,
            .shape = output.shape,
            .tensors = output.tensors,
            .hostBytes = output.hostBytes,
            .value = output.value};
}

/// What a node says whose outputs are those of the stage, in its order.
[[nodiscard]] inline executor::WorkOutline workOutline(StageOutline stage,
                                                       const std::vector<PortDesc>& ports) {
    executor::WorkOutline work{.components = std::move(stage.components),
                               .fingerprints = std::move(stage.fingerprints),
                               .walk = std::move(stage.walk),
                               .smaller = std::move(stage.smaller),
                               .precisions = std::move(stage.precisions),
                               .issues = std::move(stage.issues),
                               .facts = std::move(stage.facts)};
    for (size_t i = 0; i < ports.size(); ++i) {
        work.outputs.emplace_back(ports[i].id, valueOutline(stage.outputs.at(i)));
    }
    return work;
}

/// What a node says that opens files and gives what it opened on `port`.
[[nodiscard]] inline executor::WorkOutline loadedOutline(Stages& stages,
                                                         std::string port,
                                                         std::string type,
                                                         memory::WireRef loaded) {
    executor::WorkOutline outline;
    outline.fingerprints = {stages.fingerprint(loaded)};
    outline.outputs = {{std::move(port), {.type = std::move(type), .value = std::move(loaded)}}};
    return outline;
}

/// The type of a node that is a stage: `requestOf(params, wires)` is what it asks, before the run
/// and in it. Its outputs are those of the stage, in their order.
template <class Request, class RequestOf>
[[nodiscard]] executor::NodeType stageNode(Stages& stages,
                                           NodeDesc desc,
                                           RequestOf requestOf,
                                           std::string collectAfter = {}) {
    const std::vector<PortDesc> ports = desc.outputs;
    return {.desc = std::move(desc),
            .outline =
                [&stages, requestOf, ports](const executor::OutlineContext& context) {
                    const Request request = requestOf(context, knownAt(context));
                    return workOutline(stages.outline(request), ports);
                },
            .run =
                [&stages, requestOf, ports](executor::Context& context) {
                    const Request request = requestOf(
                        context, [&](std::string_view port) { return context.input(port); });
                    std::vector<memory::WireRef> values = stages.run(request, stageCall(context));
                    for (size_t i = 0; i < ports.size(); ++i) {
                        context.output(ports[i].id, std::move(values.at(i)));
                    }
                },
            .collectAfter = std::move(collectAfter)};
}

/// The same where a function makes the request.
template <class Request>
[[nodiscard]] executor::NodeType stageNode(Stages& stages,
                                           NodeDesc desc,
                                           Request (*requestOf)(const executor::Params&,
                                                                const WireAt&),
                                           std::string collectAfter = {}) {
    return stageNode<Request, decltype(requestOf)>(
        stages, std::move(desc), requestOf, std::move(collectAfter));
}

/// The type of a node whose two functions ask the stages.
[[nodiscard]] inline executor::NodeType stageNode(
    Stages& stages,
    NodeDesc desc,
    executor::WorkOutline (*outline)(Stages&, const executor::OutlineContext&),
    void (*run)(Stages&, executor::Context&),
    std::string collectAfter = {}) {
    return {.desc = std::move(desc),
            .outline = [&stages, outline](const auto& context) { return outline(stages, context); },
            .run = [&stages, run](executor::Context& context) { run(stages, context); },
            .collectAfter = std::move(collectAfter)};
}

}  // namespace lowtide::nodes
