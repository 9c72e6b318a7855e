#include "plugin/graph/catalog.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace lowtide::graph {

namespace {

template <typename Item>
const Item* findById(const std::vector<Item>& items, std::string_view id) {
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.id == id; });
    return found == items.end() ? nullptr : &*found;
}

void normaliseDefault(const NodeDesc& node, ParamDesc& param) {
    if (std::holds_alternative<std::monostate>(param.defaultValue)) {
        return;
    }
    const ParamCheck check = checkParam(param, toJson(param.defaultValue));
    if (const auto* refusal = std::get_if<ParamRefusal>(&check)) {
        throw Error(
            ErrorKind::Internal,
            message("node type {}: the default of \"{}\" {}", node.id, param.id, refusal->reason));
    }
    param.defaultValue = std::get<Scalar>(check);
}

}  // namespace

Catalog::Catalog(std::vector<NodeDesc> nodes) : nodes_(std::move(nodes)) {
    for (size_t index = 0; index < nodes_.size(); ++index) {
        NodeDesc& node = nodes_[index];
        publish(node.id, index);
        for (const std::string& alias : node.aliases) {
            publish(alias, index);
        }
        for (ParamDesc& param : node.params) {
            normaliseDefault(node, param);
        }
    }
}

void Catalog::publish(const std::string& name, size_t index) {
    if (name.empty() || !byName_.emplace(name, index).second) {
        throw Error(ErrorKind::Internal,
                    message("the node name \"{}\" of {} is empty or taken by another node type",
                            name,
                            nodes_[index].id));
    }
}

const NodeDesc* Catalog::find(std::string_view idOrAlias) const {
    const auto found = byName_.find(idOrAlias);
    return found == byName_.end() ? nullptr : &nodes_[found->second];
}

void Catalog::reword(const std::function<void(NodeDesc&)>& words) {
    for (NodeDesc& node : nodes_) {
        words(node);
    }
}

std::vector<std::string> Catalog::ids() const {
    std::vector<std::string> ids;
    for (const NodeDesc& node : nodes_) {
        ids.push_back(node.id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::string Catalog::nearest(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto& [known, index] : byName_) {
        names.push_back(known);
    }
    return nearestName(name, names);
}

const ParamDesc* findParam(const NodeDesc& desc, std::string_view id) {
    return findById(desc.params, id);
}

const PortDesc* findInput(const NodeDesc& desc, std::string_view id) {
    return findById(desc.inputs, id);
}

const PortDesc* findOutput(const NodeDesc& desc, std::string_view id) {
    return findById(desc.outputs, id);
}

const PortDesc* passedInput(const NodeDesc& desc, std::string_view output) {
    for (size_t index = 0; index < desc.outputs.size(); ++index) {
        const PortDesc& port = desc.outputs[index];
        if (port.id != output) {
            continue;
        }
        if (index < desc.inputs.size() && desc.inputs[index].type == port.type) {
            return &desc.inputs[index];
        }
        const auto found =
            std::find_if(desc.inputs.begin(), desc.inputs.end(), [&](const PortDesc& input) {
                return input.type == port.type;
            });
        return found == desc.inputs.end() ? nullptr : &*found;
    }
    return nullptr;
}

namespace {

constexpr std::array<const char*, 8> kKinds = {
    "bool", "int", "float", "text", "choice", "file", "folder", "seed"};

constexpr std::pair<const char*, std::optional<double> ParamDesc::*> kLimits[] = {
    {"min", &ParamDesc::min},
    {"max", &ParamDesc::max},
    {"soft_min", &ParamDesc::softMin},
    {"soft_max", &ParamDesc::softMax},
    {"step", &ParamDesc::step},
};

constexpr std::pair<const char*, bool ParamDesc::*> kParamFlags[] = {
    {"multiline", &ParamDesc::multiline},
    {"advanced", &ParamDesc::advanced},
    {"cosmetic", &ParamDesc::cosmetic},
};

constexpr std::pair<const char*, bool NodeDesc::*> kNodeFlags[] = {
    {"side_effect", &NodeDesc::sideEffect},
    {"control", &NodeDesc::control},
};

ParamKind kindFrom(const std::string& name) {
    const auto found = std::ranges::find(kKinds, name);
    if (found == kKinds.end()) {
        throw std::invalid_argument("unknown kind of parameter: " + name);
    }
    return static_cast<ParamKind>(found - kKinds.begin());
}

Json portsJson(const std::vector<PortDesc>& ports) {
    Json list = Json::array();
    for (const PortDesc& port : ports) {
        list.push_back({{"id", port.id},
                        {"label", port.label},
                        {"tooltip", port.tooltip},
                        {"type", port.type},
                        {"optional", port.optional}});
    }
    return list;
}

std::vector<PortDesc> portsFrom(const Json& list) {
    std::vector<PortDesc> ports;
    for (const Json& json : list) {
        ports.push_back({.id = json.at("id"),
                         .label = json.at("label"),
                         .tooltip = json.at("tooltip"),
                         .type = json.at("type"),
                         .optional = json.at("optional")});
    }
    return ports;
}

Scalar defaultFrom(const ParamDesc& param, const Json& json) {
    if (json.is_null()) {
        return std::monostate();
    }
    const ParamCheck checked = checkParam(param, json);
    if (const auto* refusal = std::get_if<ParamRefusal>(&checked)) {
        throw std::invalid_argument("the default of " + param.id + " " + refusal->reason.str());
    }
    return std::get<Scalar>(checked);
}

}  // namespace

Json toJson(const ParamDesc& param) {
    Json json = {{"id", param.id},
                 {"label", param.label},
                 {"tooltip", param.tooltip},
                 {"kind", kKinds[static_cast<size_t>(param.kind)]},
                 {"default", toJson(param.defaultValue)}};
    if (!param.unit.empty()) {
        json["unit"] = param.unit;
    }
    for (const auto& [key, limit] : kLimits) {
        if (param.*limit) {
            json[key] = *(param.*limit);
        }
    }
    for (const ChoiceDesc& choice : param.choices) {
        json["choices"].push_back({{"id", choice.id}, {"label", choice.label}});
    }
    for (const auto& [key, flag] : kParamFlags) {
        if (param.*flag) {
            json[key] = true;
        }
    }
    return json;
}

Json toJson(const NodeDesc& node) {
    Json params = Json::array();
    for (const ParamDesc& param : node.params) {
        params.push_back(toJson(param));
    }
    Json json = {{"id", node.id},
                 {"label", node.label},
                 {"category", node.category},
                 {"tooltip", node.tooltip},
                 {"version", node.version},
                 {"output", node.output},
                 {"components", node.components},
                 {"aliases", node.aliases},
                 {"inputs", portsJson(node.inputs)},
                 {"outputs", portsJson(node.outputs)},
                 {"params", params}};
    for (const auto& [key, flag] : kNodeFlags) {
        if (node.*flag) {
            json[key] = true;
        }
    }
    return json;
}

ParamDesc paramFromJson(const Json& json) {
    ParamDesc param{.id = json.at("id"),
                    .label = json.at("label"),
                    .tooltip = json.at("tooltip"),
                    .unit = json.value("unit", std::string()),
                    .kind = kindFrom(json.at("kind"))};
    for (const auto& [key, limit] : kLimits) {
        if (json.contains(key)) {
            param.*limit = json.at(key).get<double>();
        }
    }
    for (const Json& choice : json.value("choices", Json::array())) {
        param.choices.push_back({choice.at("id"), choice.at("label")});
    }
    for (const auto& [key, flag] : kParamFlags) {
        param.*flag = json.value(key, false);
    }
    param.defaultValue = defaultFrom(param, json.at("default"));
    return param;
}

NodeDesc nodeFromJson(const Json& json) {
    NodeDesc node{.id = json.at("id"),
                  .label = json.at("label"),
                  .category = json.at("category"),
                  .tooltip = json.at("tooltip"),
                  .version = json.at("version"),
                  .output = json.at("output"),
                  .aliases = json.at("aliases"),
                  .components = json.at("components"),
                  .inputs = portsFrom(json.at("inputs")),
                  .outputs = portsFrom(json.at("outputs"))};
    for (const auto& [key, flag] : kNodeFlags) {
        node.*flag = json.value(key, false);
    }
    for (const Json& param : json.at("params")) {
        node.params.push_back(paramFromJson(param));
    }
    return node;
}

}  // namespace lowtide::graph
