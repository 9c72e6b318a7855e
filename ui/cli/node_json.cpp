#include "ui/cli/node_json.hpp"

#include <array>

namespace lowtide::cli {

namespace {

constexpr std::array<const char*, 8> kKinds = {
    "bool", "int", "float", "text", "choice", "file", "folder", "seed"};

struct ScalarToJson {
    Json operator()(std::monostate) const { return nullptr; }

    template <class Value>
    Json operator()(const Value& value) const {
        return value;
    }
};

void addLimit(Json& json, const char* key, const std::optional<double>& limit) {
    if (limit) {
        json[key] = *limit;
    }
}

Json toJson(const std::vector<PortDesc>& ports) {
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

}  // namespace

Json toJson(const ParamDesc& param) {
    Json json = {{"id", param.id},
                 {"label", param.label},
                 {"tooltip", param.tooltip},
                 {"kind", kKinds[static_cast<size_t>(param.kind)]},
                 {"default", std::visit(ScalarToJson{}, param.defaultValue)}};
    if (!param.unit.empty()) {
        json["unit"] = param.unit;
    }
    addLimit(json, "min", param.min);
    addLimit(json, "max", param.max);
    addLimit(json, "soft_min", param.softMin);
    addLimit(json, "soft_max", param.softMax);
    addLimit(json, "step", param.step);
    for (const ChoiceDesc& choice : param.choices) {
        json["choices"].push_back({{"id", choice.id}, {"label", choice.label}});
    }
    return json;
}

Json toJson(const NodeDesc& node) {
    Json params = Json::array();
    for (const ParamDesc& param : node.params) {
        params.push_back(toJson(param));
    }
    return {{"id", node.id},
            {"label", node.label},
            {"category", node.category},
            {"tooltip", node.tooltip},
            {"version", node.version},
            {"output", node.output},
            {"components", node.components},
            {"aliases", node.aliases},
            {"inputs", toJson(node.inputs)},
            {"outputs", toJson(node.outputs)},
            {"params", params}};
}

}  // namespace lowtide::cli
