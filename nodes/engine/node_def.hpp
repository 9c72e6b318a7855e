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

/// The run that a node is part of, as the stages see it. Valid while `context` is.
[[nodiscard]] StageCall stageCall(executor::Context& context);

/// What comes in by a port, or a placeholder for it; null: it is not connected.
using WireAt = std::function<memory::WireRef(std::string_view port)>;

/// Of a node before the run.
[[nodiscard]] WireAt knownAt(const executor::SpecContext& context);
/// Of a node in a run. Valid while `context` is.
[[nodiscard]] WireAt valuesAt(const executor::Context& context);

/// A port or a parameter of a node, and its field in what the node is asked.
template <class Asked>
struct Field {
    std::optional<PortDesc> port{};
    WireRef Asked::*wire = nullptr;
    std::optional<ParamDesc> param{};
    /// Takes the parameter's value. Error{InvalidInput} on it for a choice that there is not.
    std::function<void(Asked& asked, const executor::Params& params)> read{};
};

/// What comes in by a port: a placeholder before the run, a value in it, null where nothing does.
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

/// Where the chosen one is among the parameter's choices. Error{InvalidInput} on it for one that
/// there is not.
[[nodiscard]] size_t indexOfChosen(const ParamDesc& param, const executor::Params& params);

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
                asked.*value = options[indexOfChosen(desc, params)].means;
            }};
}

/// A node that is a stage. `Asked` has a field for each port and parameter, and may have a
/// `precision`, in which the node's networks shall compute.
template <class Asked>
struct NodeDef {
    NodeDesc desc;  ///< without inputs and parameters
    std::vector<Field<Asked>> fields;
    StageDef<Asked> stage;
    std::string collectAfter{};  ///< executor::NodeType::collectAfter
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

/// The stage of a node with what it is asked.
template <class Asked>
class StageOf final : public Stage {
public:
    StageOf(std::shared_ptr<const NodeDef<Asked>> def, Asked asked)
        : def_(std::move(def)), asked_(std::move(asked)) {
        name = def_->stage.name;
        roles = def_->stage.roles;
        addedRoles = def_->stage.addedRoles;
        hasOwnSwitches = def_->stage.hasOwnSwitches;
        scopesElsewhere = def_->stage.scopesElsewhere;
        if constexpr (requires { asked_.precision; }) {
            precision = asked_.precision;
        }
        if (def_->stage.tilePixels) {
            tilePixels = asked_.*def_->stage.tilePixels;
        }
    }

    [[nodiscard]] std::shared_ptr<const models::ComponentSource> source() const override {
        return def_->stage.source(asked_);
    }

    [[nodiscard]] std::vector<std::pair<std::string, WireRef>> inputs() const override {
        std::vector<std::pair<std::string, WireRef>> inputs;
        for (const Field<Asked>& field : def_->fields) {
            if (field.port) {
                inputs.emplace_back(field.port->id, asked_.*field.wire);
            }
        }
        return inputs;
    }

    [[nodiscard]] StageShapes shape(StageFacts& facts) const override {
        return def_->stage.shape(asked_, facts);
    }

    [[nodiscard]] std::vector<WireRef> run(models::StageContext& context,
                                           const StageCall& call) const override {
        return def_->stage.run(context, asked_, call);
    }

    [[nodiscard]] std::shared_ptr<const Stage> forDryRun(models::StageContext& context,
                                                         const WireOf& wireOf) const override {
        auto shortened = std::make_shared<StageOf>(*this);
        if (def_->stage.shorten) {
            shortened->fraction = def_->stage.shorten(context, shortened->asked_);
        }
        for (const Field<Asked>& field : def_->fields) {
            if (field.port) {
                WireRef& value = shortened->asked_.*field.wire;
                value = wireOf(field.port->id, value);
            }
        }
        return shortened;
    }

    [[nodiscard]] std::shared_ptr<const Stage> inTiles(int64_t pixels) const override {
        Asked asked = asked_;
        asked.*def_->stage.tilePixels = pixels;
        return std::make_shared<const StageOf>(def_, std::move(asked));
    }

private:
    std::shared_ptr<const NodeDef<Asked>> def_;
    Asked asked_;
};

/// Gives a stage's values by the node's outputs, in their order.
void giveOutputs(executor::Context& context,
                 const std::vector<PortDesc>& ports,
                 std::vector<WireRef> values);

/// The type of a node. Its outputs are those of the stage, in their order.
template <class Asked>
[[nodiscard]] executor::NodeType nodeOf(Stages& stages, NodeDef<Asked> described) {
    describeFields(described.desc, described.fields);
    const auto def = std::make_shared<const NodeDef<Asked>>(std::move(described));
    return {
        .desc = def->desc,
        .spec =
            [&stages, def](const executor::SpecContext& context) {
                Asked asked = askedOf(def->fields, context, knownAt(context));
                return stages.spec(std::make_shared<const StageOf<Asked>>(def, std::move(asked)),
                                   def->desc.outputs);
            },
        .run =
            [&stages, def](executor::Context& context) {
                const StageOf<Asked> stage(def, askedOf(def->fields, context, valuesAt(context)));
                giveOutputs(context, def->desc.outputs, stages.run(stage, stageCall(context)));
            },
        .collectAfter = def->collectAfter};
}

}  // namespace lowtide::nodes
