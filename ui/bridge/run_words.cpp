#include "ui/bridge/run_words.hpp"

#include "ui/models/model_kind.hpp"

#include <QFileInfo>

namespace lowtide::ui {

namespace {

/// A path is of the machine alone; a word such as "builtin:mini" has no folder.
QString withoutFolder(const QString& value) {
    const QString name = QFileInfo(value).fileName();
    return name.isEmpty() ? value : name;
}

}  // namespace

RunWords runWordsOf(const graph::Document& document,
                    const graph::Catalog& catalog,
                    const QString& name) {
    QStringList prompts;
    QStringList models;
    RunWords words{.graph = name, .prompt = {}, .models = {}, .seed = {}};
    for (const auto& [id, node] : document.nodes) {
        const bool isRun = node.mode == graph::NodeMode::Active;
        const NodeDesc* desc = isRun ? catalog.find(node.type) : nullptr;
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            const auto value = node.params.find(param.id);
            if (value == node.params.end()) {
                continue;
            }
            const QString text = value->is_string()
                                     ? QString::fromStdString(value->get<std::string>())
                                     : QString::fromStdString(value->dump());
            if (param.kind == ParamKind::Seed && words.seed.isEmpty()) {
                words.seed = text;
            } else if (text.isEmpty()) {
                continue;
            } else if (param.kind == ParamKind::Text && param.multiline) {
                prompts << text;
            } else if (kindFor({.nodeType = node.type, .param = param.id})) {
                models << withoutFolder(text);
            }
        }
    }
    models.removeDuplicates();
    words.prompt = prompts.join(QLatin1Char('\n'));
    words.models = models.join(QLatin1Char('\n'));
    return words;
}

}  // namespace lowtide::ui
