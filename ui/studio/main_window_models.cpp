// The part of the main window controller that shows the user's models and has the graph use them.
#include "ui/bridge/background.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/models_panel.hpp"
#include "ui/panels/offered_models.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/studio/main_window_controller.hpp"

#include <QFileInfo>

namespace lowtide::ui {

namespace {

/// Of an AutoV2; shorter ones are of A1111's first kind, which is no SHA-256 of the whole file.
constexpr size_t kFewestDigits = 10;

/// Nodes of the graph with the parameter; those among `preferred` alone, if any.
std::vector<std::string> takersOf(const GraphModel& model,
                                  const ModelParam& param,
                                  const std::set<std::string>& preferred) {
    std::vector<std::string> all;
    std::vector<std::string> chosen;
    for (const auto& [id, node] : model.document().nodes) {
        if (node.type == param.nodeType) {
            all.push_back(id);
            if (preferred.contains(id)) {
                chosen.push_back(id);
            }
        }
    }
    return chosen.empty() ? all : chosen;
}

}  // namespace

void MainWindowController::buildModels() {
    auto* models = new ModelsPanel(parts_.settings,
                                   workspace_.models,
                                   {.shelf = &workspace_.shelf,
                                    .images = &workspace_.modelImages,
                                    .plans = &workspace_.modelPlans});
    panels_.add("models", tr("Models"), models, Qt::LeftDockWidgetArea);
    offerConversion(*models);
    connect(models, &ModelsPanel::useAsked, this, [this](ModelKind kind, const QString& value) {
        useModel(kind, value, middleOfCanvas());
    });
    connect(models, &ModelsPanel::unusableChosen, this, &MainWindowController::showUnusable);
    connect(models, &ModelsPanel::fileUseAsked, this, [this](const QString& path) {
        useDroppedModel(path, middleOfCanvas());
    });
    connect(&workspace_.shelf, &ModelShelf::notKept, this, [this](const QString& problem) {
        notices_->show(NoticeKind::Warning,
                       tr("Notes and hashes of models are not kept: %1.").arg(problem));
    });
    if (RunLibrary* library = workspace_.library.get()) {
        workspace_.modelImages.setEarlier([this, library](const QString& name, auto done) {
            library->askImages({.model = name}, this, [this, library, done](const auto& images) {
                if (!images || images->empty()) {
                    done(QImage());
                    return;
                }
                library->askThumbnails(
                    {images->front()}, ModelImages::kPixels, this, [done](const auto& thumbnails) {
                        done(thumbnails.empty() ? QImage() : thumbnails.front().image);
                    });
            });
        });
    }
}

bool MainWindowController::isFound(const std::string& file) const {
    return workspace_.models.isThere(file, workspace_.file.folder());
}

/// Models of that file name, or with that hash, wherever they lie.
std::vector<std::string> MainWindowController::foldersOf(const std::string& file) const {
    std::vector<std::string> found;
    const std::string hash = knownHashOf(file);
    for (const FoundModel& model : workspace_.models.models()) {
        if (isSameModel(file, hash, model.file.name, workspace_.shelf.hashOf(model))) {
            found.push_back(model.value);
        }
    }
    return found;
}

/// The first digits, from the image that was opened, or of the file when it was still there.
std::string MainWindowController::knownHashOf(const std::string& file) const {
    std::string hash = modelHashOf(workspace_.model.document(), file);
    if (hash.empty()) {
        hash = workspace_.shelf.lastHashAt(file);
    }
    for (const ModelFolder& folder : workspace_.models.folders()) {
        if (hash.empty()) {
            hash = workspace_.shelf.lastHashAt(folder.path + "/" + file);
        }
    }
    return hash;
}

WantedModel MainWindowController::wantedByHash(const std::string& file) const {
    WantedModel wanted{.value = file, .digits = knownHashOf(file), .unread = {}};
    if (wanted.digits.size() < kFewestDigits) {
        wanted.digits = hashInName(file);
    }
    if (!wanted.digits.empty()) {
        wanted.unread = modelsWithoutHash(
            workspace_.models.models(), workspace_.shelf, kindsOf(workspace_.model, file));
    }
    return wanted;
}

/// A graph without a node for it gets one.
void MainWindowController::useModel(ModelKind kind, const QString& value, QPointF at) {
    const std::optional<ModelParam> param = paramOf(kind);
    if (!param) {
        notices_->show(NoticeKind::Info,
                       tr("An embedding has no node: write %1 in a prompt.")
                           .arg(QFileInfo(value).completeBaseName()));
        return;
    }
    std::vector<std::string> takers = takersOf(workspace_.model, *param, canvas_->selectedNodes());
    const NodeDesc* desc = workspace_.model.catalog().find(param->nodeType);
    if (takers.size() > 1 || (takers.empty() && !desc)) {
        notices_->show(NoticeKind::Info,
                       takers.empty()
                           ? tr("No node takes such a file. Start the studio with its engine.")
                           : tr("Several nodes take such a file. Select the one to use it in."));
        return;
    }
    workspace_.model.apply(
        tr("Use %1").arg(QFileInfo(value).fileName()), [&](graph::Document& document) {
            if (takers.empty()) {
                takers.push_back(addNode(document, *desc, freePosition(document, at)));
            }
            document.nodes.at(takers.front()).params[param->param] = value.toStdString();
        });
    reveal(takers.front(), param->param);
}

/// What the file holds is read on another thread.
void MainWindowController::useDroppedModel(const QString& path, QPointF at) {
    later(
        this,
        [recognise = recogniserOf(workspace_.engine), path] {
            return recogniseFile(recognise, path.toStdString());
        },
        [this, path, at](const ModelFile& model) {
            if (model.problem.empty() && model.isRunnable) {
                useModel(model.kind, path, at);
            } else {
                showUnusable(model);
            }
        });
}

/// Why the graph does not get it.
void MainWindowController::showUnusable(const ModelFile& model) {
    const QString name = QString::fromStdString(model.name);
    if (!model.problem.empty()) {
        showError(
            &parts_.window, tr("“%1” cannot be used").arg(name), moduleSentence(model.problem), {});
        return;
    }
    notices_->show(NoticeKind::Warning,
                   model.family.empty()
                       ? tr("“%1” is not a model that this version runs.").arg(name)
                       : tr("“%1” is of the family %2, which this version does not run.")
                             .arg(name, QString::fromStdString(model.family)));
}

}  // namespace lowtide::ui
