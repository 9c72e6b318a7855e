#include "ui/studio/missing_files.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/document/node_title.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/model_rows.hpp"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// Of an AutoV2; shorter ones are of A1111's first kind, which is no SHA-256 of the whole file.
constexpr size_t kFewestDigits = 10;

QString fileNameOf(const std::string& value) {
    return QString::fromStdString(value)
        .replace(QLatin1Char('\\'), QLatin1Char('/'))
        .section(QLatin1Char('/'), -1);
}

/// How well a model takes the place of another one, the best first.
enum class Fit { Same, Family, Kind, OtherFamily, None };

/// Text and image encoders have families of their own, upscalers none that matters.
bool hasFamilyOfGraph(ModelKind kind) {
    return kind != ModelKind::TextEncoder && kind != ModelKind::ImageEncoder;
}

bool namesFamily(const std::string& label, const std::string& family) {
    return QString::fromStdString(label).contains(QString::fromStdString(family),
                                                  Qt::CaseInsensitive);
}

Fit fitOf(const WantedKind& wanted, const FoundModel& model, const std::string& sha256) {
    if (!model.file.problem.empty() || model.value == wanted.value) {
        return Fit::None;
    }
    if (isSameModel(wanted.value, wanted.hash, model.file.name, sha256)) {
        return Fit::Same;
    }
    const ModelKind kind = model.file.kind;
    if (!wanted.kinds.contains(kind) || !model.file.isRunnable) {
        return Fit::None;
    }
    if (kind == ModelKind::Upscaler) {
        return Fit::Family;
    }
    if (wanted.family.empty() || model.file.family.empty() || !hasFamilyOfGraph(kind)) {
        return Fit::Kind;
    }
    return namesFamily(model.file.family, wanted.family) ||
                   namesFamily(wanted.family, model.file.family)
               ? Fit::Family
               : Fit::OtherFamily;
}

/// Calls `visit` with every node and text of a parameter of it that names a file to be read.
template <typename Document, typename Visit>
void eachFile(Document& document, const graph::Catalog& catalog, const Visit& visit) {
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            const auto value = node.params.find(param.id);
            const bool isRead = param.kind == ParamKind::File && !desc->sideEffect;
            if (isRead && value != node.params.end() && value->is_string()) {
                visit(id, *value);
            }
        }
    }
}

/// Each node with the files that it names.
FileUses usesIn(const GraphModel& model) {
    FileUses uses;
    eachFile(model.document(), model.catalog(), [&](const std::string& node, const Json& value) {
        uses.emplace_back(node, value.get<std::string>());
    });
    return uses;
}

}  // namespace

std::vector<std::string> namedFiles(const GraphModel& model) {
    std::vector<std::string> named;
    eachFile(model.document(), model.catalog(), [&](const std::string&, const Json& value) {
        const auto file = value.get<std::string>();
        if (!file.empty() && std::ranges::find(named, file) == named.end()) {
            named.push_back(file);
        }
    });
    return named;
}

std::vector<std::string> missingFiles(const GraphModel& model, const IsFound& isFound) {
    std::vector<std::string> missing = namedFiles(model);
    std::erase_if(missing, isFound);
    return missing;
}

bool isSameModel(const std::string& wanted,
                 const std::string& hash,
                 const std::string& name,
                 const std::string& sha256) {
    const QString lost = fileNameOf(wanted);
    if (lost.compare(QString::fromStdString(name), Qt::CaseInsensitive) == 0) {
        return true;
    }
    const std::string within = hashInName(wanted);
    return (!hash.empty() && sha256.starts_with(hash)) ||
           (!within.empty() && sha256.starts_with(within));
}

std::string hashInName(const std::string& wanted) {
    static const QRegularExpression digits(
        QStringLiteral("(?<![0-9A-Fa-f])[0-9A-Fa-f]{10,64}(?![0-9A-Fa-f])"));
    return digits.match(fileNameOf(wanted)).captured().toLower().toStdString();
}

std::set<ModelKind> kindsOf(const GraphModel& model, const std::string& file) {
    std::set<ModelKind> kinds;
    for (const auto& [id, node] : model.document().nodes) {
        for (const auto& [param, value] : node.params.items()) {
            if (value != file) {
                continue;
            }
            if (const std::optional<ModelKind> kind = kindFor({node.type, param})) {
                kinds.insert(*kind);
            }
        }
    }
    return kinds;
}

std::vector<FittingFile> fittingFiles(const WantedKind& wanted,
                                      const std::vector<FoundModel>& models,
                                      const std::function<std::string(const FoundModel&)>& hashOf) {
    std::vector<std::pair<Fit, FittingFile>> found;
    for (const FoundModel& model : models) {
        const Fit fit = fitOf(wanted, model, hashOf(model));
        if (fit != Fit::None) {
            found.emplace_back(fit,
                               FittingFile{.value = QString::fromStdString(model.value),
                                           .label = QString::fromStdString(model.relative),
                                           .detail = QString::fromStdString(model.file.family),
                                           .isSure = fit <= Fit::Family});
        }
    }
    std::ranges::stable_sort(found, {}, &std::pair<Fit, FittingFile>::first);
    std::vector<FittingFile> files;
    for (auto& [fit, file] : found) {
        files.push_back(std::move(file));
    }
    if (files.size() == 1 && found.front().first == Fit::Kind) {
        files.front().isSure = true;  // there is nothing to choose
    }
    return files;
}

ChosenFiles inSameFolder(const std::vector<std::string>& missing,
                         const std::string& except,
                         const QString& chosen) {
    const QDir folder = QFileInfo(chosen).absoluteDir();
    ChosenFiles found;
    for (const std::string& file : missing) {
        const QString path = folder.absoluteFilePath(fileNameOf(file));
        if (file != except && QFileInfo(path).isFile()) {
            found[file] = path;
        }
    }
    return found;
}

void relocate(graph::Document& document,
              const graph::Catalog& catalog,
              const ChosenFiles& newPaths) {
    eachFile(document, catalog, [&](const std::string&, Json& value) {
        const auto entry = newPaths.find(value.get<std::string>());
        if (entry != newPaths.end()) {
            value = entry->second.toStdString();
        }
    });
}

LocateFile::LocateFile(MainWindowWidgets& widgets)
    : workspace_(widgets.workspace), model_(workspace_.model), window_(&widgets.window) {
    connect(&widgets.issues,
            &IssuesPanel::locateRequested,
            this,
            [this](const std::string& node, const std::string& param) { locate(node, param); });
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        if (list_ && (delta.reset || (delta.changesMeaning() && usesIn(model_) != uses_))) {
            look();
        }
    });
    connect(&workspace_.models, &ModelLibrary::scanned, this, [this] {
        if (list_) {
            look();
        }
    });
}

LocateFile::~LocateFile() {
    delete search_;
    delete list_;
}

void LocateFile::locate(const std::string& node, const std::string& param) {
    const graph::DocumentNode* owner = model_.node(node);
    const std::string file = owner ? textIn(owner->params, param.c_str()) : std::string();
    if (!file.empty()) {
        locate(file);
    }
}

void LocateFile::locate(const std::string& file) {
    asked_ = file;
    open();
    look();
}

void LocateFile::open() {
    if (list_) {
        return;
    }
    list_ = new MissingFilesDialog(window_);
    list_->setAttribute(Qt::WA_DeleteOnClose);
    connect(list_, &QDialog::finished, this, [this] { list_.clear(); });
    connect(list_, &MissingFilesDialog::useAsked, this, [this](const ChosenFiles& chosen) {
        if (!chosen.empty()) {
            use(chosen, QFileInfo(chosen.begin()->second).fileName());
        }
    });
    connect(list_, &MissingFilesDialog::locateAsked, this, [this](const QString& file) {
        chooseAndUse(file.toStdString());
    });
    connect(list_, &MissingFilesDialog::searchAsked, this, [this](const QString& file) {
        search(wantedByHash(file.toStdString()));
    });
}

/// Which are missing is asked of disks, on another thread.
void LocateFile::look() {
    uses_ = usesIn(model_);
    later(
        this,
        [named = namedFiles(model_),
         isThere = workspace_.models.whatIsThere(),
         folder = workspace_.file.folder()]() mutable {
            std::erase_if(named, [&](const std::string& file) { return isThere(file, folder); });
            return named;
        },
        [this, look = ++look_](const std::vector<std::string>& missing) {
            if (look == look_ && list_) {
                show(missing);
            }
        });
}

/// With the file that the user asked for: one that is there may be damaged.
void LocateFile::show(const std::vector<std::string>& missing) {
    missing_ = missing;
    const std::vector<std::string> named = namedFiles(model_);
    const auto has = [](const std::vector<std::string>& files, const std::string& file) {
        return std::ranges::find(files, file) != files.end();
    };
    std::vector<std::string> shown = missing;
    if (has(named, asked_) && !has(missing, asked_)) {
        shown.insert(shown.begin(), asked_);
    }
    std::vector<WantedFile> files;
    for (const std::string& file : shown) {
        files.push_back(wantedFile(file));
    }
    const bool isNew = !list_->isVisible();
    if (isNew && files.empty()) {
        delete list_;
        workspace_.planning.askNow();  // what was reported is over
        return;
    }
    list_->setFiles(files);
    if (list_ && isNew && !files.empty()) {
        list_->show();
        list_->raise();
        list_->activateWindow();
        list_->focusFile(asked_.empty() ? files.front().value : asked_);
    }
}

WantedFile LocateFile::wantedFile(const std::string& file) const {
    const WantedKind wanted{.value = file,
                            .hash = knownHashOf(file),
                            .kinds = kindsOf(model_, file),
                            .family = familyFor(file)};
    const WantedModel byHash = wantedByHash(file);
    return {.value = file,
            .what = descriptionOf(wanted),
            .fitting = fittingFiles(
                wanted,
                workspace_.models.models(),
                [this](const FoundModel& model) { return workspace_.shelf.hashOf(model); }),
            .isSearchable = !byHash.digits.empty() && !byHash.unread.empty()};
}

/// "checkpoint, its family, for Load checkpoint"
QString LocateFile::descriptionOf(const WantedKind& wanted) const {
    QStringList parts;
    for (const ModelKind kind : wanted.kinds) {
        parts << kindText(kind);
    }
    if (!parts.isEmpty() && !wanted.family.empty() && hasFamilyOfGraph(*wanted.kinds.begin()) &&
        !wanted.kinds.contains(ModelKind::Upscaler)) {
        parts << QString::fromStdString(wanted.family);
    }
    QStringList nodes;
    for (const auto& [id, node] : model_.document().nodes) {
        const bool names = std::any_of(node.params.begin(),
                                       node.params.end(),
                                       [&](const Json& value) { return value == wanted.value; });
        if (names) {
            nodes << distinctNodeTitle(model_.document(), model_.catalog(), id);
        }
    }
    return parts.isEmpty() ? tr("for %1").arg(listed(nodes))
                           : tr("%1, for %2").arg(listed(parts), listed(nodes));
}

/// That of the models of the graph which are there, else that of a preset which names the file.
std::string LocateFile::familyFor(const std::string& file) const {
    const std::vector<std::string> named = namedFiles(model_);
    for (const FoundModel& model : workspace_.models.models()) {
        const bool isOfGraph = model.file.kind == ModelKind::Checkpoint ||
                               model.file.kind == ModelKind::Denoiser ||
                               model.file.kind == ModelKind::DiffusionModel;
        if (isOfGraph && std::ranges::find(named, model.value) != named.end()) {
            return model.file.family;
        }
    }
    for (const PresetEntry& preset : workspace_.presets.entries()) {
        const bool names = std::ranges::any_of(preset.files, [&](const RequiredFile& each) {
            return each.value.toStdString() == file;
        });
        if (names && !preset.family.empty()) {
            return preset.family;
        }
    }
    return {};
}

/// One at a time: what is at work remains in front.
void LocateFile::search(WantedModel wanted) {
    if (!search_ || !search_->isAtWork()) {
        delete search_;
        search_ = new HashSearchDialog(workspace_.shelf, std::move(wanted), window_);
        search_->setAttribute(Qt::WA_DeleteOnClose);
        connect(search_,
                &HashSearchDialog::useAsked,
                this,
                [this](const QString& file, const QString& value) {
                    use({{file.toStdString(), value}}, QFileInfo(value).fileName());
                });
        connect(search_, &HashSearchDialog::chooseAsked, this, [this](const QString& file) {
            chooseAndUse(file.toStdString());
        });
        search_->show();
    }
    search_->raise();
    search_->activateWindow();
}

void LocateFile::chooseAndUse(const std::string& file) {
    const QString chosen = choose(file);
    if (chosen.isEmpty()) {
        return;
    }
    ChosenFiles newPaths = inSameFolder(missing_, file, chosen);
    if (!newPaths.empty() && !wants(newPaths)) {
        newPaths.clear();
    }
    newPaths[file] = chosen;
    use(newPaths, QFileInfo(chosen).fileName());
}

/// The first digits, from the image that was opened, or of the file when it was still there.
std::string LocateFile::knownHashOf(const std::string& file) const {
    std::string hash = modelHashOf(model_.document(), file);
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

WantedModel LocateFile::wantedByHash(const std::string& file) const {
    WantedModel wanted{.value = file, .digits = knownHashOf(file), .unread = {}};
    if (wanted.digits.size() < kFewestDigits) {
        wanted.digits = hashInName(file);
    }
    if (!wanted.digits.empty()) {
        wanted.unread =
            modelsWithoutHash(workspace_.models.models(), workspace_.shelf, kindsOf(model_, file));
    }
    return wanted;
}

void LocateFile::use(const ChosenFiles& newPaths, const QString& name) {
    model_.endMerging();
    model_.apply(tr("Locate %1").arg(name), [&](graph::Document& document) {
        relocate(document, model_.catalog(), newPaths);
    });
}

/// What dialogs lie over.
QWidget* LocateFile::front() const {
    return list_ ? static_cast<QWidget*>(list_.data()) : window_;
}

QString LocateFile::choose(const std::string& file) const {
    const QFileInfo lost(QString::fromStdString(file));
    QFileDialog dialog(front(), tr("Where is %1?").arg(lost.fileName()));
    dialog.setObjectName(QStringLiteral("locateFile"));
    dialog.setFileMode(QFileDialog::ExistingFile);
    if (lost.isAbsolute() && lost.absoluteDir().exists()) {
        dialog.setDirectory(lost.absoluteDir());
    }
    if (const QString ending = lost.suffix(); !ending.isEmpty()) {
        dialog.setNameFilters({tr("Files like it (*.%1)").arg(ending), tr("All files (*)")});
    }
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

bool LocateFile::wants(const ChosenFiles& others) const {
    QStringList names;
    for (const auto& [file, entry] : others) {
        names << QFileInfo(entry).fileName();
    }
    QMessageBox box(
        QMessageBox::Question,
        tr("Others are missing too"),
        tr("The same folder holds the other missing files of this graph. Use them as well?"),
        QMessageBox::NoButton,
        front());
    box.setObjectName(QStringLiteral("locateOthers"));
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(names.join(QLatin1Char('\n')));
    QPushButton* all = box.addButton(tr("Use all"), QMessageBox::AcceptRole);
    box.addButton(tr("Only the chosen one"), QMessageBox::RejectRole);
    box.setDefaultButton(all);
    box.exec();
    return box.clickedButton() == all;
}

}  // namespace lowtide::ui
