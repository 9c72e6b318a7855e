#include "ui/panels/setting_facts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/param_editor.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <string>

namespace lowtide::ui {

namespace {

class SettingWords {
    Q_DECLARE_TR_FUNCTIONS(SettingFacts)
};

/// Smaller comes first.
int rankOf(const ParamDesc& param) {
    return param.kind == ParamKind::Text && param.multiline ? 0
           : param.kind == ParamKind::Seed                  ? 1
                                                            : 2;
}

struct Setting {
    const ParamDesc* param = nullptr;
    QString node;  ///< as a person calls it
    QString value;
};

QString settingValue(const ParamDesc& param, const Json& value) {
    const bool isText = param.kind == ParamKind::Text && value.is_string();
    return isText ? QString::fromStdString(value.get<std::string>()) : valueText(param, value);
}

}  // namespace

std::vector<PictureFact> settingFacts(const graph::Document& document,
                                      const graph::Catalog& catalog) {
    std::vector<Setting> settings;
    std::map<std::string, int> named;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            const auto value = node.params.find(param.id);
            const bool isStated =
                value != node.params.end() && *value != graph::toJson(param.defaultValue);
            if (!isStated && (param.kind != ParamKind::Seed || value == node.params.end())) {
                continue;
            }
            const QString text = settingValue(param, *value);
            if (!text.isEmpty()) {
                settings.push_back(
                    {.param = &param, .node = nodeTitle(document, catalog, id), .value = text});
                ++named[param.label];
            }
        }
    }
    std::stable_sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
        return rankOf(*a.param) < rankOf(*b.param);
    });
    std::vector<PictureFact> facts;
    for (const Setting& setting : settings) {
        const QString label = QString::fromStdString(setting.param->label);
        facts.push_back({named.at(setting.param->label) == 1
                             ? label
                             : SettingWords::tr("%1, %2").arg(label, setting.node),
                         setting.value});
    }
    return facts;
}

std::vector<PictureFact> settingFactsOf(const LoadedPicture& picture,
                                        const graph::Catalog* catalog) {
    const std::string graph = picture.graphText();
    if (!catalog || graph.empty()) {
        return {};
    }
    try {
        return settingFacts(graph::parseDocument(graph), *catalog);
    } catch (const Error&) {  // the fact of the graph says why
        return {};
    }
}

}  // namespace lowtide::ui
