#include "ui/studio/convert_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/precision.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/edits.hpp"

#include <QFileInfo>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// Nodes that name the source; the only one that could where none does.
std::vector<std::string> nodesFor(const graph::Document& document, const NamedModel& source) {
    const std::optional<ModelParam> param = paramOf(source.kind);
    std::vector<std::string> all;
    std::vector<std::string> naming;
    for (const auto& [id, node] : document.nodes) {
        if (param && node.type == param->nodeType) {
            all.push_back(id);
            if (textIn(node.params, param->param.c_str()) == source.value) {
                naming.push_back(id);
            }
        }
    }
    return !naming.empty() ? naming : all.size() == 1 ? all : std::vector<std::string>();
}

void storeAsInFile(graph::DocumentNode& node) {
    try {
        memory::PrecisionChoice choice = memory::precisionFromJson(node.precision, "precision");
        choice.types.storage.reset();
        choice.types.storesAsInFile = true;
        node.precision = memory::toJson(choice);
    } catch (const Error&) {
        return;  // it cannot be read: the check reports it
    }
}

void replaceSource(graph::Document& document,
                   const graph::Catalog& catalog,
                   const std::vector<std::string>& loaders,
                   const NamedModel& source,
                   const NamedModel& written) {
    for (const std::string& loader : loaders) {
        Json& params = document.nodes.at(loader).params;
        params[paramOf(source.kind)->param] = source.value;
        params[paramOf(written.kind)->param] = written.value;
    }
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (desc && hasDenoiser(*desc) &&
            std::ranges::count(loaders, modelSource(document, catalog, id)) > 0) {
            storeAsInFile(node);
        }
    }
}

}  // namespace

ConvertedUse useOfConverted(const graph::Document& document,
                            const graph::Catalog& catalog,
                            const NamedModel& source,
                            const NamedModel& written) {
    const std::optional<ModelParam> param = paramOf(written.kind);
    const bool isModel =
        written.kind == ModelKind::Checkpoint || written.kind == ModelKind::Denoiser;
    ConvertedUse found{.nodes = isModel ? nodesFor(document, source) : std::vector<std::string>(),
                       .param = param ? param->param : std::string()};
    found.edit = [&catalog, loaders = found.nodes, source, written](graph::Document& changed) {
        replaceSource(changed, catalog, loaders, source, written);
    };
    return found;
}

ConvertModel::ConvertModel(Workspace& workspace, QWidget* window)
    : QObject(window), workspace_(workspace), window_(window) {
    connect(&workspace_.conversion, &Conversion::ended, this, [this](const Converted& what) {
        if (what.problem.isEmpty()) {
            workspace_.models.rescan();
        }
    });
}

ConvertModel::~ConvertModel() {
    delete dialog_;
}

void ConvertModel::open(const NamedModel& model) {
    if (!dialog_ || !dialog_->isConverting()) {
        delete dialog_;
        dialog_ = new ConvertDialog(
            workspace_.conversion, model.value, workspace_.file.folder(), window_);
        dialog_->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog_, &ConvertDialog::useAsked, this, [this, model](const QString& file) {
            use(model, file);
        });
        dialog_->show();
    }
    dialog_->raise();
    dialog_->activateWindow();
}

void ConvertModel::use(const NamedModel& source, const QString& file) {
    const NamedModel written{workspace_.models.fileAt(file.toStdString()).kind, file.toStdString()};
    const ConvertedUse found =
        useOfConverted(workspace_.model.document(), workspace_.model.catalog(), source, written);
    if (found.nodes.empty()) {
        Q_EMIT refused(tr("No node, or more than one, of this graph could use %1. Choose it there.")
                           .arg(QFileInfo(file).fileName()));
        return;
    }
    workspace_.model.endMerging();
    workspace_.model.apply(tr("Use %1").arg(QFileInfo(file).fileName()), found.edit);
    Q_EMIT used(found.nodes.front(), found.param);
}

}  // namespace lowtide::ui
