#include "plugin/interop/expanded_graph.hpp"

#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/interop/json_members.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lowtide::interop {

namespace {

constexpr const char* kEncode = "encode.image";
constexpr const char* kFit = "image.fit";
constexpr const char* kLora = "load.lora";
constexpr const char* kLoraStack = "load.lora_stack";
constexpr const char* kDiffusionModel = "load.diffusion_model";
constexpr const char* kDenoise = "denoise.sample";
constexpr const char* kLowNoiseFile = "low_noise";
constexpr const char* kLoraModel = "expert";  ///< which of two denoisers a LoRA is for
constexpr int kStackRows = 8;

double shiftedLevel(double level, double shift) {
    return shift * level / (1 + (shift - 1) * level);
}

/// The level from which that step of a flow begins; nothing: the schedule is not known here.
/// Source: the schedules of ComfyUI, as its recorded levels have them.
std::optional<double> flowLevel(const std::string& schedule, int step, int steps, double shift) {
    constexpr int kTrained = 1000;
    if (schedule == "simple" || schedule == "automatic") {
        const int index = kTrained - step * kTrained / steps;
        return shiftedLevel(static_cast<double>(index) / kTrained, shift);
    }
    const bool isNormal = schedule == "normal";
    if (!isNormal && schedule != "sgm_uniform") {
        return std::nullopt;
    }
    const double last = shiftedLevel(1.0 / kTrained, shift);
    const int parts = isNormal ? std::max(steps - 1, 1) : steps;
    return shiftedLevel(1 + (last - 1) * step / parts, shift);
}

class GraphExpander {
public:
    GraphExpander(const graph::Document& document,
                  const graph::Catalog& catalog,
                  const ClassTable& table)
        : catalog_(catalog),
          table_(table),
          expanded_{.document = document, .origins = {}, .obstacles = {}, .differences = {}} {
        for (const graph::Link& link : document.links) {
            wires_.emplace(link.to, link.from);
        }
    }

    ExpandedGraph expand() {
        for (const std::string& id : nodesOfType(kLoraStack)) {
            expandStack(id);
        }
        leaveOutFits();
        for (const std::string& id : nodesOfType(kDenoise)) {
            splitDenoise(id);
        }
        for (const std::string& id : split_) {
            nodes().at(id).params.erase(kLowNoiseFile);
        }
        expanded_.document.links.clear();
        for (const auto& [to, from] : wires_) {
            expanded_.document.links.push_back({.from = from, .to = to, .extra = Json::object()});
        }
        return std::move(expanded_);
    }

private:
    std::map<std::string, graph::DocumentNode>& nodes() { return expanded_.document.nodes; }

    [[nodiscard]] const NodeDesc* descOf(const std::string& id) const {
        const auto node = expanded_.document.nodes.find(id);
        return node == expanded_.document.nodes.end() ? nullptr : catalog_.find(node->second.type);
    }

    [[nodiscard]] bool isOfType(const std::string& id, const char* type) const {
        const NodeDesc* desc = descOf(id);
        return desc != nullptr && desc->id == type;
    }

    [[nodiscard]] std::vector<std::string> nodesOfType(const char* type) const {
        std::vector<std::string> ids;
        for (const auto& [id, node] : expanded_.document.nodes) {
            if (isOfType(id, type) && node.mode == graph::NodeMode::Active) {
                ids.push_back(id);
            }
        }
        return ids;
    }

    /// Stated, or by default; null: there is no such parameter.
    [[nodiscard]] Json valueOf(const std::string& id, const std::string& param) const {
        const Json& stated = memberIn(expanded_.document.nodes.at(id).params, param.c_str());
        const ParamDesc* desc = graph::findParam(*descOf(id), param);
        return !stated.is_null() ? stated
               : desc == nullptr ? Json()
                                 : graph::toJson(desc->defaultValue);
    }

    [[nodiscard]] double numberOf(const std::string& id, const std::string& param) const {
        const Json value = valueOf(id, param);
        return value.is_number() ? value.get<double>() : 0;
    }

    [[nodiscard]] std::string textOf(const std::string& id, const std::string& param) const {
        const Json value = valueOf(id, param);
        return value.is_string() ? value.get<std::string>() : std::string();
    }

    [[nodiscard]] std::optional<graph::PortRef> sourceOf(const graph::PortRef& to) const {
        const auto wire = wires_.find(to);
        return wire == wires_.end() ? std::nullopt : std::optional(wire->second);
    }

    /// A node that stands for another one, with its position and wires.
    std::string add(const std::string& origin, const std::string& name, graph::DocumentNode node) {
        std::string id = origin + "_" + name;
        for (int number = 2; nodes().contains(id); ++number) {
            id = origin + "_" + name + "_" + std::to_string(number);
        }
        nodes()[id] = std::move(node);
        expanded_.origins[id] = expanded_.originOf(origin);
        return id;
    }

    std::string addCopy(const std::string& origin, const std::string& name) {
        const std::string id = add(origin, name, nodes().at(origin));
        std::vector<std::pair<std::string, graph::PortRef>> inputs;
        for (auto wire = wires_.lower_bound({origin, ""});
             wire != wires_.end() && wire->first.node == origin;
             ++wire) {
            inputs.emplace_back(wire->first.port, wire->second);
        }
        for (const auto& [port, from] : inputs) {
            wires_[{id, port}] = from;
        }
        return id;
    }

    // What VAEEncode does by itself

    void leaveOutFits() {
        std::map<std::string, bool>
            isLeftOut;  // by nodes that cut an image to what the model takes
        for (const std::string& id : nodesOfType(kFit)) {
            isLeftOut[id] = numberOf(id, "width") == 0 && numberOf(id, "height") == 0 &&
                            numberOf(id, "multiple") == 1 && textOf(id, "mode") == "crop" &&
                            sourceOf({id, "model"}) && sourceOf({id, "image"});
        }
        for (const auto& [to, from] : wires_) {
            const auto fit = isLeftOut.find(from.node);
            if (fit != isLeftOut.end()) {
                fit->second = fit->second && from.port == "image" && to.port == "image" &&
                              isOfType(to.node, kEncode);
            }
        }
        for (auto& [to, from] : wires_) {
            const auto fit = isLeftOut.find(from.node);
            from = fit != isLeftOut.end() && fit->second ? *sourceOf({from.node, "image"}) : from;
        }
    }

    // Rows of LoRAs

    void expandStack(const std::string& id) {
        const std::optional<graph::PortRef> model = sourceOf({id, "model"});
        if (!model || catalog_.find(kLora) == nullptr) {
            return;
        }
        graph::PortRef last = *model;
        for (int row = 1; row <= kStackRows; ++row) {
            const std::string number = "_" + std::to_string(row);
            if (valueOf(id, "use" + number) == true && !textOf(id, "file" + number).empty()) {
                last = addRow(id, number, last);
            }
        }
        for (auto& [to, from] : wires_) {
            from = from.node == id ? last : from;
        }
        wires_.erase({id, "model"});
        nodes().erase(id);
    }

    graph::PortRef addRow(const std::string& id,
                          const std::string& number,
                          const graph::PortRef& model) {
        graph::DocumentNode node;
        node.type = kLora;
        node.version = catalog_.find(kLora)->version;
        node.position = nodes().at(id).position;
        for (const char* param : {"file", "strength", "text_strength", kLoraModel}) {
            if (Json value = valueOf(id, param + number); !value.is_null()) {
                node.params[param] = std::move(value);
            }
        }
        const std::string own = add(id, number.substr(1), std::move(node));
        wires_[{own, "model"}] = model;
        return {own, "model"};
    }

    // Models of two denoisers

    void splitDenoise(const std::string& id) {
        const std::optional<graph::PortRef> model = sourceOf({id, "model"});
        const std::string loader = model ? loaderOf(*model) : std::string();
        if (loader.empty() || textOf(loader, kLowNoiseFile).empty()) {
            return;
        }
        const std::optional<int> step =
            isSplittable(id) ? firstLowStep(id, textOf(loader, "file")) : std::nullopt;
        if (!step) {
            return;
        }
        split_.insert(loader);
        const int begin = static_cast<int>(numberOf(id, "start_step"));
        const int end = static_cast<int>(numberOf(id, "end_step"));
        const bool hasLow = end < 0 || end > *step;
        if (hasLow) {
            wires_[{id, "model"}] = lowNoiseModel(*model);
        }
        if (begin < *step && hasLow) {
            addHighNoise(id, *model, *step);
        }
        takeLoraModel(*model);
        if (const double cfg = numberOf(id, "cfg_2"); hasLow && cfg > 0) {
            nodes().at(id).params["cfg"] = cfg;
        }
        for (const char* param : {"cfg_2", "boundary"}) {
            nodes().at(id).params.erase(param);
        }
    }

    /// The steps before: of the high-noise model, whose noise remains for the node itself.
    void addHighNoise(const std::string& id, const graph::PortRef& model, int step) {
        const std::string high = addCopy(id, "high");
        wires_[{high, "model"}] = model;
        wires_[{id, "latent"}] = {high, "latent"};
        Json& params = nodes().at(high).params;
        static const std::set<std::string> kForgetful = {
            "euler", "ddim", "heun", "kdpm2", "exp_heun_2_x0"};
        if (!kForgetful.contains(textOf(id, "sampler"))) {
            expanded_.differences.emplace(
                id, message("in ComfyUI the sampler begins again with the low-noise model"));
        }
        params["end_step"] = step;
        params["keep_noise"] = true;
        params.erase("cfg_2");
        params.erase("boundary");
        nodes().at(id).params["start_step"] = step;
        nodes().at(id).params["add_noise"] = false;
    }

    /// The node that loads the model which comes along that wire; empty: none.
    [[nodiscard]] std::string loaderOf(graph::PortRef wire) const {
        for (size_t hop = 0; hop <= expanded_.document.nodes.size(); ++hop) {
            const std::optional<graph::PortRef> before = modelBefore(wire);
            if (!before) {
                return isOfType(wire.node, kDiffusionModel) ? wire.node : std::string();
            }
            wire = *before;
        }
        return {};
    }

    /// What a node hands on at that output; nothing: it makes it itself.
    [[nodiscard]] std::optional<graph::PortRef> modelBefore(const graph::PortRef& wire) const {
        const NodeDesc* desc = descOf(wire.node);
        const PortDesc* port = desc == nullptr ? nullptr : graph::passedInput(*desc, wire.port);
        return port == nullptr ? std::nullopt : sourceOf({wire.node, port->id});
    }

    bool isSplittable(const std::string& id) {
        if (numberOf(id, "strength") < 1) {
            obstructed(id,
                       message("its strength is below 1, which ComfyUI's KSamplerAdvanced does not "
                               "have; set its first step"));
            return false;
        }
        if (numberOf(id, "start_at") != 0 || numberOf(id, "end_at") != 1) {
            obstructed(id,
                       message("it starts or ends at a fraction of the schedule; set its first and "
                               "last step"));
            return false;
        }
        return true;
    }

    /// The first step that the low-noise model takes of all.
    std::optional<int> firstLowStep(const std::string& id, const std::string& file) {
        const FamilyRow* family = table_.familyOf(file);
        const double stated = numberOf(id, "boundary"), shift = numberOf(id, "shift");
        const double boundary = stated > 0 ? stated : family == nullptr ? 0 : family->boundary;
        const auto steps = static_cast<int>(numberOf(id, "steps"));
        if (boundary <= 0) {
            return obstructed(id,
                              message("its boundary is the model's own, which is not known here: "
                                      "ComfyUI needs the step; set it"));
        }
        if (shift <= 0) {
            return obstructed(
                id,
                message("its flow shift is automatic: ComfyUI needs the step in which "
                        "the low-noise model takes over; set it"));
        }
        for (int step = 0; step < steps; ++step) {
            const std::optional<double> level =
                flowLevel(textOf(id, "schedule"), step, steps, shift);
            if (!level) {
                return obstructed(
                    id,
                    message("in which step the low-noise model takes over is known for "
                            "the schedules simple, normal and sgm_uniform alone"));
            }
            if (*level < boundary) {
                return step;
            }
        }
        return steps;
    }

    std::nullopt_t obstructed(const std::string& id, Message why) {
        expanded_.obstacles.emplace(id, std::move(why));
        return std::nullopt;
    }

    /// The same along nodes of their own, from the low-noise file on. LoRAs of the other one are
    /// left out.
    graph::PortRef lowNoiseModel(const graph::PortRef& wire) {
        if (const auto known = lowNoise_.find(wire); known != lowNoise_.end()) {
            return known->second;
        }
        const std::optional<graph::PortRef> before = modelBefore(wire);
        const bool isLora = isOfType(wire.node, kLora);
        if (before && isLora && textOf(wire.node, kLoraModel) == "high_noise") {
            return lowNoise_[wire] = lowNoiseModel(*before);
        }
        const std::string low = addCopy(wire.node, "low");
        if (before) {
            const PortDesc* port = graph::passedInput(*descOf(wire.node), wire.port);
            wires_[{low, port->id}] = lowNoiseModel(*before);
        } else {
            nodes().at(low).params["file"] = valueOf(low, kLowNoiseFile);
            nodes().at(low).params.erase(kLowNoiseFile);
        }
        if (isLora) {
            nodes().at(low).params.erase(kLoraModel);
        }
        return lowNoise_[wire] = {low, wire.port};
    }

    /// LoRAs on the way to the high-noise file; those of the other one are for text encoders alone.
    void takeLoraModel(graph::PortRef wire) {
        for (size_t hop = 0; hop <= expanded_.document.nodes.size(); ++hop) {
            if (isOfType(wire.node, kLora)) {
                Json& params = nodes().at(wire.node).params;
                if (textOf(wire.node, kLoraModel) == "low_noise") {
                    params["strength"] = 0.0;
                }
                params.erase(kLoraModel);
            }
            const std::optional<graph::PortRef> before = modelBefore(wire);
            if (!before) {
                return;
            }
            wire = *before;
        }
    }

    const graph::Catalog& catalog_;
    const ClassTable& table_;
    ExpandedGraph expanded_;
    std::map<graph::PortRef, graph::PortRef> wires_;
    std::map<graph::PortRef, graph::PortRef> lowNoise_;  ///< by the wires of the high-noise model
    std::set<std::string> split_;                        ///< loaders of two files
};

}  // namespace

ExpandedGraph expandForComfyUi(const graph::Document& document,
                               const graph::Catalog& catalog,
                               const ClassTable& table) {
    return GraphExpander(document, catalog, table).expand();
}

}  // namespace lowtide::interop
