#include "ui/studio/kept_nodes.hpp"

#include "plugin/base/json.hpp"
#include "plugin/graph/param_value.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <exception>

namespace lowtide::ui {

namespace {

constexpr qint64 kLargestFile = 16 << 20;

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

Json limitJson(const std::optional<double>& limit) {
    return limit ? Json(*limit) : Json();
}

std::optional<double> limitFrom(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json paramJson(const ParamDesc& param) {
    Json choices = Json::array();
    for (const ChoiceDesc& choice : param.choices) {
        choices.push_back({choice.id, choice.label});
    }
    return {{"id", param.id},
            {"label", param.label},
            {"tooltip", param.tooltip},
            {"unit", param.unit},
            {"kind", static_cast<int>(param.kind)},
            {"default", graph::toJson(param.defaultValue)},
            {"limits",
             {limitJson(param.min),
              limitJson(param.max),
              limitJson(param.softMin),
              limitJson(param.softMax),
              limitJson(param.step)}},
            {"choices", choices},
            {"multiline", param.multiline},
            {"advanced", param.advanced},
            {"cosmetic", param.cosmetic}};
}

ParamDesc paramFrom(const Json& json) {
    const Json& limits = json.at("limits");
    ParamDesc param{.id = json.at("id"),
                    .label = json.at("label"),
                    .tooltip = json.at("tooltip"),
                    .unit = json.at("unit"),
                    .kind = static_cast<ParamKind>(json.at("kind").get<int>()),
                    .min = limitFrom(limits.at(0)),
                    .max = limitFrom(limits.at(1)),
                    .softMin = limitFrom(limits.at(2)),
                    .softMax = limitFrom(limits.at(3)),
                    .step = limitFrom(limits.at(4)),
                    .multiline = json.at("multiline"),
                    .advanced = json.at("advanced"),
                    .cosmetic = json.at("cosmetic")};
    for (const Json& choice : json.at("choices")) {
        param.choices.push_back({choice.at(0), choice.at(1)});
    }
    const graph::ParamCheck byDefault = graph::checkParam(param, json.at("default"));
    if (const auto* value = std::get_if<Scalar>(&byDefault)) {
        param.defaultValue = *value;
    }
    return param;
}

Json nodeJson(const NodeDesc& node) {
    Json params = Json::array();
    for (const ParamDesc& param : node.params) {
        params.push_back(paramJson(param));
    }
    return {{"id", node.id},
            {"label", node.label},
            {"category", node.category},
            {"tooltip", node.tooltip},
            {"version", node.version},
            {"output", node.output},
            {"side_effect", node.sideEffect},
            {"control", node.control},
            {"aliases", node.aliases},
            {"components", node.components},
            {"inputs", portsJson(node.inputs)},
            {"outputs", portsJson(node.outputs)},
            {"params", params}};
}

NodeDesc nodeFrom(const Json& json) {
    NodeDesc node{.id = json.at("id"),
                  .label = json.at("label"),
                  .category = json.at("category"),
                  .tooltip = json.at("tooltip"),
                  .version = json.at("version"),
                  .output = json.at("output"),
                  .sideEffect = json.at("side_effect"),
                  .control = json.at("control"),
                  .aliases = json.at("aliases"),
                  .components = json.at("components"),
                  .inputs = portsFrom(json.at("inputs")),
                  .outputs = portsFrom(json.at("outputs"))};
    for (const Json& param : json.at("params")) {
        node.params.push_back(paramFrom(param));
    }
    return node;
}

}  // namespace

void keepNodes(const QString& path, std::span<const NodeDesc> nodes) {
    Json list = Json::array();
    for (const NodeDesc& node : nodes) {
        list.push_back(nodeJson(node));
    }
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QByteArray::fromStdString(list.dump()));
        file.commit();
    }
}

std::vector<NodeDesc> keptNodes(const QString& path) {
    QFile file(path);
    std::vector<NodeDesc> nodes;
    if (!file.open(QIODevice::ReadOnly)) {
        return nodes;
    }
    try {
        for (const Json& json : parseJson(file.read(kLargestFile).toStdString(), "kept nodes")) {
            nodes.push_back(nodeFrom(json));
        }
    } catch (const std::exception&) {
        nodes.clear();  // of another version; the next start of the module writes it anew
    }
    return nodes;
}

}  // namespace lowtide::ui
