#include "nodes/engine/node_def.hpp"

namespace lowtide::nodes {

namespace {

/// Empty where the host wants no previews of what is not done yet.
std::function<void(const LiveImage&)> previewOf(executor::Context& context) {
    if (!context.wantsPreviews()) {
        return {};
    }
    return [&context](const LiveImage& live) {
        context.previewStep(live.image,
                            {.done = live.done, .total = live.total, .scale = live.scale});
    };
}

}  // namespace

StageCall stageCall(executor::Context& context) {
    return {.node = std::string(context.nodeId()),
            .stop = context.stop(),
            .progress = [&context](std::string_view phase,
                                   double done,
                                   double total) { context.progress(phase, done, total); },
            .preview = previewOf(context),
            .notify = [&context](std::string_view name,
                                 Json facts) { context.notify(name, std::move(facts)); },
            .issue = [&context](Issue issue) { context.issue(std::move(issue)); }};
}

WireAt knownAt(const executor::SpecContext& context) {
    return [&context](std::string_view port) -> memory::WireRef {
        const executor::ValueSpec* input = context.input(port);
        return input ? std::make_shared<const Placeholder>(*input) : nullptr;
    };
}

WireAt valuesAt(const executor::Context& context) {
    return [&context](std::string_view port) { return context.input(port); };
}

std::string idsOf(const std::vector<ChoiceDesc>& choices) {
    std::string text;
    for (const ChoiceDesc& choice : choices) {
        text += (text.empty() ? "" : ", ") + choice.id;
    }
    return text;
}

size_t indexOfChosen(const ParamDesc& param, const executor::Params& params) {
    const std::string& chosen = params.text(param.id);
    for (size_t i = 0; i < param.choices.size(); ++i) {
        if (param.choices[i].id == chosen) {
            return i;
        }
    }
    throw Error(ErrorKind::InvalidInput,
                message("{} is \"{}\", which is none of its choices", param.label, chosen),
                message("choose one of: {}", idsOf(param.choices)),
                param.id);
}

void giveOutputs(executor::Context& context,
                 const std::vector<PortDesc>& ports,
                 std::vector<WireRef> values) {
    for (size_t i = 0; i < ports.size(); ++i) {
        context.output(ports[i].id, std::move(values.at(i)));
    }
}

}  // namespace lowtide::nodes
