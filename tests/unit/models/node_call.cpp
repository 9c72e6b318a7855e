#include "tests/unit/models/node_call.hpp"

#include "nodes/engine/stage_inputs.hpp"
#include "nodes/node_list.hpp"
#include "plugin/base/error.hpp"
#include "plugin/executor/node.hpp"
#include "plugin/image/image_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace lowtide::testing {

namespace {

executor::NodeType typeOf(nodes::Stages& stages, const std::string& node) {
    for (executor::NodeType& type : nodes::makeNodeTypes(stages)) {
        if (type.desc.id == node) {
            return std::move(type);
        }
    }
    throw Error(ErrorKind::Internal, Message("there is no node " + node), {}, "");
}

/// A context's parameters and wires: defaults, but for what is given.
template <class Base>
class GivenContext : public Base {
public:
    GivenContext(const NodeDesc& desc, const Given& given) : given_(given) {
        for (const ParamDesc& param : desc.params) {
            values_[param.id] = param.defaultValue;
        }
        for (const auto& [id, value] : given.params) {
            if (!values_.contains(id)) {
                throw Error(
                    ErrorKind::Internal, Message(desc.id + " has no parameter " + id), {}, "");
            }
            values_[id] = value;
        }
        for (const auto& [id, value] : given.wires) {
            const bool isKnown = std::ranges::any_of(
                desc.inputs, [&](const PortDesc& port) { return port.id == id; });
            if (!isKnown) {
                throw Error(ErrorKind::Internal, Message(desc.id + " has no input " + id), {}, "");
            }
        }
    }

    [[nodiscard]] const Scalar& value(std::string_view id) const override {
        return values_.find(id)->second;
    }

    [[nodiscard]] const memory::PrecisionChoice& precision() const override {
        return given_.precision;
    }

    [[nodiscard]] std::string_view graphFolder() const override { return given_.graphFolder; }

protected:
    [[nodiscard]] nodes::WireRef wireAt(std::string_view port) const {
        const auto found = given_.wires.find(port);
        return found == given_.wires.end() ? nullptr : found->second;
    }

private:
    const Given& given_;
    std::map<std::string, Scalar, std::less<>> values_;
};

/// What a node before it would have stated about a value.
executor::ValueSpec specOf(const nodes::WireRef& wire, const std::string& port) {
    if (const auto* placeholder = dynamic_cast<const nodes::Placeholder*>(wire.get())) {
        return placeholder->spec();
    }
    executor::ValueSpec spec{.type = std::string(wire->type()),
                             .shape = nodes::shapeOf(wire),
                             .tensors = {},
                             .hostBytes = 0,
                             .value = wire};
    if (spec.type == "LATENT") {
        spec.value = nodes::kindOf(wire);
    } else if (spec.type == "CONDITIONING") {
        const auto known =
            std::make_shared<const models::ConditioningSpec>(nodes::specAt(wire, port.c_str()));
        spec.shape = known->shape();
        spec.value = known;
    }
    return spec;
}

class GivenSpec final : public GivenContext<executor::SpecContext> {
public:
    GivenSpec(const NodeDesc& desc, const Given& given) : GivenContext(desc, given) {
        for (const auto& [port, wire] : given.wires) {
            if (wire) {
                specs_[port] = specOf(wire, port);
            }
        }
    }

    [[nodiscard]] const executor::ValueSpec* input(std::string_view port) const override {
        const auto found = specs_.find(port);
        return found == specs_.end() ? nullptr : &found->second;
    }

    [[nodiscard]] bool isRead(std::string_view) const override { return true; }

private:
    std::map<std::string, executor::ValueSpec, std::less<>> specs_;
};

class NoControls final : public executor::Controls {
public:
    void offload(std::span<const std::string>, bool) override {}

    void collect(std::optional<int>, bool) override {}
};

class GivenRun final : public GivenContext<executor::Context> {
public:
    GivenRun(const NodeDesc& desc, const Given& given, const nodes::StageCall& call)
        : GivenContext(desc, given), call_(call) {}

    [[nodiscard]] std::string_view nodeId() const override { return call_.node; }

    [[nodiscard]] memory::WireRef input(std::string_view port) const override {
        return wireAt(port);
    }

    void output(std::string_view port, memory::WireRef value) override {
        outputs_[std::string(port)] = std::move(value);
    }

    [[nodiscard]] const StopToken& stop() const override { return call_.stop; }

    void progress(std::string_view phase, double done, double total) override {
        call_.progress(phase, done, total);
    }

    void preview(const Image8&) override {}

    [[nodiscard]] bool wantsPreviews() const override { return call_.preview != nullptr; }

    void previewStep(const Image8& image, const executor::PreviewStep& step) override {
        call_.preview(
            {.image = image, .scale = step.scale, .done = step.done, .total = step.total});
    }

    void issue(Issue issue) override { call_.issue(std::move(issue)); }

    void notify(std::string_view name, Json facts) override {
        if (call_.notify) {
            call_.notify(name, std::move(facts));
        }
    }

    void wroteFile(std::string_view) override {}

    [[nodiscard]] std::string_view outputFolder() const override { return {}; }

    [[nodiscard]] const std::string& graphText() const override { return none_; }

    [[nodiscard]] const std::vector<image::ImageText>& foreignTexts() const override {
        return noTexts_;
    }

    [[nodiscard]] const std::string& precisionText() const override { return none_; }

    [[nodiscard]] executor::Controls& controls() override { return controls_; }

    [[nodiscard]] std::map<std::string, memory::WireRef>& outputs() { return outputs_; }

private:
    const nodes::StageCall& call_;
    NoControls controls_;
    std::string none_;
    std::vector<image::ImageText> noTexts_;
    std::map<std::string, memory::WireRef> outputs_;
};

}  // namespace

std::vector<nodes::WireRef> runNode(nodes::Stages& stages,
                                    const Given& given,
                                    const nodes::StageCall& call) {
    const executor::NodeType type = typeOf(stages, given.node);
    GivenRun context(type.desc, given, call);
    type.run(context);
    std::vector<nodes::WireRef> values;
    for (const PortDesc& port : type.desc.outputs) {
        values.push_back(context.outputs()[port.id]);
    }
    return values;
}

StageSpec specOfNode(nodes::Stages& stages, const Given& given) {
    const executor::NodeType type = typeOf(stages, given.node);
    StageSpec spec{type.spec(GivenSpec(type.desc, given)), {}};
    for (const auto& [port, value] : spec.NodeSpec::outputs) {
        spec.outputs.push_back(value);
    }
    return spec;
}

}  // namespace lowtide::testing
