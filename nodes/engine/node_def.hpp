#pragma once
// A node, described once. Its ports and parameters are fields of what it is asked; its stage gives
// what comes out, and runs.

#include "nodes/engine/stages.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/issue.hpp"

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
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

/// Of a node in a run. Valid while `context` is.
[[nodiscard]] inline WireAt valuesAt(const executor::Context& context) {
    return [&context](std::string_view port) { return context.input(port); };
}

/// A port or a parameter of a node, and its place in what the node is asked.
template <class Asked>
struct Field {
    std::optional<PortDesc> port{};
    WireRef Asked::*wire = nullptr;
    std::optional<ParamDesc> param{};
    /// Takes the parameter's value. Error{InvalidInput} on it for a choice that there is not.
    std::function<void(Asked& asked, const executor::Params& params)> read{};
};

/// What comes in by a port: a value in a run, a KnownValue before it, null where nothing does.
template <class Asked>
[[nodiscard]] Field<Asked> input(WireRef Asked::*wire, PortDesc port) {
    return {.port = std::move(port), .wire = wire};
}

/// A parameter; its default is that of the field. `desc` states the kind only for texts.
template <class Asked, class T>
[[nodiscard]] Field<Asked> param(T Asked::*value, ParamDesc desc) {
    std::string id = desc.id;
    const T byDefault = Asked{}.*value;
    if constexpr (std::is_same_v<T, bool>) {
        desc.kind = ParamKind::Bool;
        desc.defaultValue = byDefault;
    } else if constexpr (std::is_same_v<T, uint64_t>) {
        desc.kind = ParamKind::Seed;
        desc.defaultValue = byDefault;
    } else if constexpr (std::integral<T>) {
        desc.kind = ParamKind::Int;
        desc.defaultValue = int64_t{byDefault};
    } else if constexpr (std::floating_point<T>) {
        desc.kind = ParamKind::Float;
        desc.defaultValue = double{byDefault};
    } else {
        desc.defaultValue = std::string(byDefault);
    }
    using Stored = std::conditional_t<std::integral<T> && !std::is_same_v<T, bool> &&
                                          !std::is_same_v<T, uint64_t>,
                                      int64_t,
                                      T>;
    return {.param = std::move(desc),
            .read = [value, id = std::move(id)](Asked& asked, const executor::Params& params) {
                asked.*value = static_cast<T>(std::get<Stored>(params.value(id)));
            }};
}

/// One of a list, and what it means.
template <class T>
struct Option {
    std::string id;
    std::string label;
    T means;
};

/// "a, b, c".
[[nodiscard]] std::string idsOf(const std::vector<ChoiceDesc>& choices);

/// A parameter that is one of a list, given as its meaning; its default is that of the field.
template <class Asked, class T>
[[nodiscard]] Field<Asked> choice(T Asked::*value, ParamDesc desc, std::vector<Option<T>> options) {
    const T byDefault = Asked{}.*value;
    desc.kind = ParamKind::Choice;
    for (const Option<T>& option : options) {
        desc.choices.push_back({option.id, option.label});
        if (option.means == byDefault) {
            desc.defaultValue = option.id;
        }
    }
    LOWTIDE_ASSERT(!std::holds_alternative<std::monostate>(desc.defaultValue));
    return {.param = desc,
            .read = [value, desc, options = std::move(options)](Asked& asked,
                                                                const executor::Params& params) {
                const std::string& chosen = params.text(desc.id);
                for (const Option<T>& option : options) {
                    if (option.id == chosen) {
                        asked.*value = option.means;
                        return;
                    }
                }
                throw Error(ErrorKind::InvalidInput,
                            desc.label + " is \"" + chosen + "\", which is none of its choices",
                            "choose one of: " + idsOf(desc.choices),
                            desc.id);
            }};
}

/// A node that is a stage. `Asked` has a field for each port and parameter, and may have a
/// `precision`, in which the node's networks shall compute.
template <class Asked>
struct NodeDef {
    NodeDesc desc;  ///< without inputs and parameters
    std::vector<Field<Asked>> fields;
    StageDef<Asked> stage;  ///< without wires
    /// executor::NodeType::collectAfter
    std::string collectAfter{};
};

/// Ports and parameters of a node, in their order.
template <class Asked>
void describeFields(NodeDesc& desc, const std::vector<Field<Asked>>& fields) {
    for (const Field<Asked>& field : fields) {
        if (field.port) {
            desc.inputs.push_back(*field.port);
        } else {
            desc.params.push_back(*field.param);
        }
    }
}

/// What a node is asked.
template <class Asked>
[[nodiscard]] Asked askedOf(const std::vector<Field<Asked>>& fields,
                            const executor::Params& params,
                            const WireAt& wireAt) {
    Asked asked;
    for (const Field<Asked>& field : fields) {
        if (field.port) {
            asked.*field.wire = wireAt(field.port->id);
        } else {
            field.read(asked, params);
        }
    }
    if constexpr (requires { asked.precision; }) {
        asked.precision = params.precision();
    }
    return asked;
}

/// Gives a stage's values by ports, in their order.
inline void giveOutputs(executor::Context& context,
                        const std::vector<PortDesc>& ports,
                        std::vector<memory::WireRef> values) {
    for (size_t i = 0; i < ports.size(); ++i) {
        context.output(ports[i].id, std::move(values.at(i)));
    }
}

/// The type of a node. Its outputs are those of the stage, in their order.
template <class Asked>
[[nodiscard]] executor::NodeType nodeOf(Stages& stages, NodeDef<Asked> def) {
    describeFields(def.desc, def.fields);
    for (const Field<Asked>& field : def.fields) {
        if (field.port) {
            def.stage.wires.push_back({field.port->id, field.wire});
        }
    }
    const auto stage = std::make_shared<const StageDef<Asked>>(std::move(def.stage));
    const auto fields = std::make_shared<const std::vector<Field<Asked>>>(std::move(def.fields));
    const std::vector<PortDesc> ports = def.desc.outputs;
    return {.desc = std::move(def.desc),
            .outline =
                [&stages, fields, stage, ports](const executor::OutlineContext& context) {
                    return stages.outline(
                        taskOf(stage, askedOf(*fields, context, knownAt(context))), ports);
                },
            .run =
                [&stages, fields, stage, ports](executor::Context& context) {
                    giveOutputs(
                        context,
                        ports,
                        stages.run(taskOf(stage, askedOf(*fields, context, valuesAt(context))),
                                   stageCall(context)));
                },
            .collectAfter = std::move(def.collectAfter)};
}

/// The type of a node whose two functions ask the stages.
[[nodiscard]] inline executor::NodeType nodeOf(
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
