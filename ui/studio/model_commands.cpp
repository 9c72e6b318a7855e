#include "ui/studio/model_commands.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/precision.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/document/edits.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/arrivals.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QFileInfo>

#include <algorithm>

namespace lowtide::ui {

namespace {

const auto kNotesNotKept = QStringLiteral("notes not kept");

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

bool canRun(const ModelFile& model) {
    return model.isRunnable && model.problem.empty();
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

ModelCommands::ModelCommands(MainWindowWidgets& widgets)
    : widgets_(widgets), workspace_(widgets.workspace) {
    connectPanels();
    connect(&workspace_.conversion, &Conversion::ended, this, [this](const Converted& what) {
        if (what.problem.isEmpty()) {
            workspace_.models.rescan();
        }
    });
    connect(&workspace_.shelf, &ModelShelf::notKept, this, &ModelCommands::reportNotes);
    connect(&workspace_.shelf, &ModelShelf::keptAgain, this, [this] {
        widgets_.notices.end(kNotesNotKept);
    });
    if (!workspace_.shelf.problem().isEmpty()) {  // of the window before this one
        reportNotes(workspace_.shelf.problem());
    }
    if (RunLibrary* library = workspace_.library.get()) {
        workspace_.modelImages.setEarlier([this, library](const QString& name, auto done) {
            library->ask(
                [name](RunStore& store) {
                    const std::vector<ImageRecord> images = store.images({.model = name});
                    return images.empty()
                               ? QImage()
                               : boundedBy(QImage::fromData(store.thumbnail(images.front().id)),
                                           ModelImages::kPixels);
                },
                this,
                [done](const QImage& image) { done(image); },
                [done] { done(QImage()); });
        });
    }
}

void ModelCommands::reportNotes(const QString& problem) {
    widgets_.notices.stand(kNotesNotKept,
                           NoticeKind::Warning,
                           tr("Notes and hashes of models are not kept: %1.").arg(problem));
}

ModelCommands::~ModelCommands() {
    workspace_.modelImages.setEarlier({});
    delete dialog_;
}

/// Panels offer a conversion where the module converts.
void ModelCommands::connectPanels() {
    ModelsPanel& models = widgets_.models;
    connect(&models, &ModelsPanel::useAsked, this, [this](ModelKind kind, const QString& value) {
        use(kind, value, widgets_.middleSpot());
    });
    connect(&models, &ModelsPanel::unusableChosen, this, &ModelCommands::showUnusable);
    connect(&models, &ModelsPanel::fileUseAsked, this, [this](const QString& path) {
        useFile(path, widgets_.middleSpot());
    });
    const auto offerConversion = [this]<class Panel>(Panel& panel) {
        panel.offerConversion();
        connect(&panel, &Panel::convertAsked, this, &ModelCommands::convert);
    };
    if (workspace_.conversion.isPossible()) {
        offerConversion(widgets_.memory);
        offerConversion(widgets_.issues);
        offerConversion(models);
    }
}

/// An embedding has no node: a prompt names it.
void ModelCommands::use(ModelKind kind, const QString& value, const DropSpot& spot) {
    if (kind == ModelKind::Embedding) {
        putWords(widgets_,
                 QStringLiteral("embedding:%1").arg(QFileInfo(value).completeBaseName()),
                 spot);
    } else {
        putFile(widgets_, arrivalOf(kind, value), spot);
    }
}

Arrival ModelCommands::arrivalOf(ModelKind kind, const QString& value) const {
    Arrival arrival{.value = value.toStdString(),
                    .fits = [kind](const NodeDesc& node, const ParamDesc& param) {
                        return kindFor({.nodeType = node.id, .param = param.id}) == kind;
                    }};
    if (const std::optional<ModelParam> param = paramOf(kind)) {
        arrival.newNode = workspace_.model.catalog().find(param->nodeType);
        arrival.newParam = param->param;
    }
    return arrival;
}

/// One of a model folder is named as there.
void ModelCommands::recognise(
    const QString& path, std::function<void(const ModelFile& model, const QString& value)> done) {
    const std::vector<FoundModel>& known = workspace_.models.models();
    const auto found = std::ranges::find_if(
        known, [&](const FoundModel& each) { return each.file.path == path.toStdString(); });
    if (found != known.end() && canRun(found->file)) {
        done(found->file, QString::fromStdString(found->value));
        return;
    }
    later(
        this,
        [recogniser = recogniserOf(workspace_.engine), path] {
            return recogniseFile(recogniser, path.toStdString());
        },
        [done = std::move(done), path](const ModelFile& model) { done(model, path); });
}

void ModelCommands::useFile(const QString& path, const DropSpot& spot) {
    recognise(path,
              [this, spot, document = workspace_.model.shown()](const ModelFile& model,
                                                                const QString& value) {
                  if (canRun(model)) {
                      use(model.kind, value, widgets_.spotIn(document, spot));
                  } else {
                      showUnusable(model);
                  }
              });
}

void ModelCommands::findTaker(const QString& path, std::function<void(FileTaker)> done) {
    recognise(path, [this, done = std::move(done)](const ModelFile& model, const QString& value) {
        if (!canRun(model)) {
            done({});
            return;
        }
        done([this, kind = model.kind, value](const DropSpot& spot) {
            const GraphModel& open = workspace_.model;
            const NodeIds selected = widgets_.canvas.selectedNodes();
            return kind == ModelKind::Embedding
                       ? promptFor(open.document(), open.catalog(), spot, selected)
                       : takerOf(targetFor(open.document(),
                                           open.catalog(),
                                           arrivalOf(kind, value),
                                           spot,
                                           selected));
        });
    });
}

/// Why the graph does not get it.
void ModelCommands::showUnusable(const ModelFile& model) {
    const QString name = QString::fromStdString(model.name);
    if (!model.problem.empty()) {
        showError(&widgets_.window,
                  tr("“%1” cannot be used").arg(name),
                  moduleSentence(model.problem),
                  {});
        return;
    }
    widgets_.notices.show(NoticeKind::Warning,
                          model.family.empty()
                              ? tr("“%1” is not a model that this version runs.").arg(name)
                              : tr("“%1” is of the family %2, which this version does not run.")
                                    .arg(name, QString::fromStdString(model.family)));
}

/// One at a time: what is at work remains in front.
void ModelCommands::convert(const NamedModel& model) {
    if (!dialog_ || !dialog_->isConverting()) {
        delete dialog_;
        dialog_ = new ConvertDialog(
            workspace_.conversion, model.value, workspace_.file.folder(), &widgets_.window);
        dialog_->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog_, &ConvertDialog::useAsked, this, [this, model](const QString& file) {
            useConverted(model, file);
        });
        dialog_->show();
    }
    dialog_->raise();
    dialog_->activateWindow();
}

void ModelCommands::useConverted(const NamedModel& source, const QString& file) {
    const NamedModel written{workspace_.models.fileAt(file.toStdString()).kind, file.toStdString()};
    const ConvertedUse found =
        useOfConverted(workspace_.model.document(), workspace_.model.catalog(), source, written);
    if (found.nodes.empty()) {
        widgets_.notices.showOfDocument(
            NoticeKind::Info,
            tr("No node, or more than one, of this graph could use %1. Choose it there.")
                .arg(QFileInfo(file).fileName()));
        return;
    }
    workspace_.model.endMerging();
    workspace_.model.apply(tr("Use %1").arg(QFileInfo(file).fileName()), found.edit);
    widgets_.notices.showOfDocument(
        NoticeKind::Info,
        tr("Weights of this model remain on the device as its file has them, and are "
           "decoded in every forward pass: less memory, more time."));
    widgets_.reveal(found.nodes.front(), found.param);
}

}  // namespace lowtide::ui
