#include "ui/studio/missing_files.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/document/opened_graph.hpp"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// Of an AutoV2; shorter ones are of A1111's first kind, which is no SHA-256 of the whole file.
constexpr size_t kFewestDigits = 10;

QString fileNameOf(const std::string& value) {
    return QString::fromStdString(value)
        .replace(QLatin1Char('\\'), QLatin1Char('/'))
        .section(QLatin1Char('/'), -1);
}

/// Calls `visit` with every text that a parameter holds which names a file to be read.
template <typename Document, typename Visit>
void eachFile(Document& document, const graph::Catalog& catalog, const Visit& visit) {
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            const auto value = node.params.find(param.id);
            const bool isRead = param.kind == ParamKind::File && !desc->sideEffect;
            if (isRead && value != node.params.end() && value->is_string()) {
                visit(*value);
            }
        }
    }
}

}  // namespace

std::vector<std::string> missingFiles(const GraphModel& model, const IsFound& isFound) {
    std::vector<std::string> missing;
    eachFile(model.document(), model.catalog(), [&](const Json& value) {
        const auto file = value.get<std::string>();
        const bool isKnown = std::ranges::find(missing, file) != missing.end();
        if (!file.empty() && !isKnown && !isFound(file)) {
            missing.push_back(file);
        }
    });
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

NewPaths inSameFolder(const std::vector<std::string>& missing,
                      const std::string& except,
                      const QString& chosen) {
    const QDir folder = QFileInfo(chosen).absoluteDir();
    NewPaths found;
    for (const std::string& file : missing) {
        const QString path = folder.absoluteFilePath(fileNameOf(file));
        if (file != except && QFileInfo(path).isFile()) {
            found[file] = path;
        }
    }
    return found;
}

void relocate(graph::Document& document, const graph::Catalog& catalog, const NewPaths& newPaths) {
    eachFile(document, catalog, [&](Json& value) {
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
}

LocateFile::~LocateFile() {
    delete search_;
}

void LocateFile::locate(const std::string& node, const std::string& param) {
    const graph::DocumentNode* owner = model_.node(node);
    const std::string file = owner ? textIn(owner->params, param.c_str()) : std::string();
    if (!file.empty()) {
        locate(file);
    }
}

void LocateFile::locate(const std::string& file) {
    if (const NewPaths known = knownPaths(file); !known.empty()) {
        const Answer answer = offer(known, file);
        if (answer == Answer::Use) {
            use(known, QFileInfo(known.at(file)).fileName());
        }
        if (answer == Answer::Choose) {
            chooseAndUse(file);
        }
        return;
    }
    WantedModel wanted = wantedByHash(file);
    if (wanted.digits.empty() || wanted.unread.empty()) {
        chooseAndUse(file);
    } else {
        search(std::move(wanted));
    }
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
    NewPaths newPaths = inSameFolder(missing(), file, chosen);
    if (!newPaths.empty() && !wants(newPaths)) {
        newPaths.clear();
    }
    newPaths[file] = chosen;
    use(newPaths, QFileInfo(chosen).fileName());
}

std::vector<std::string> LocateFile::missing() const {
    return missingFiles(model_, [this](const std::string& file) {
        return workspace_.models.isThere(file, workspace_.file.folder());
    });
}

/// Models of that file name, or with that hash, wherever they lie.
std::vector<std::string> LocateFile::foldersOf(const std::string& file) const {
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

/// Of this file and of all others that are missing; empty: this one is not known.
NewPaths LocateFile::knownPaths(const std::string& file) const {
    NewPaths newPaths;
    std::vector<std::string> lost = missing();
    lost.push_back(file);
    for (const std::string& each : lost) {
        if (const std::vector<std::string> known = foldersOf(each); !known.empty()) {
            newPaths[each] = QString::fromStdString(known.front());
        }
    }
    return newPaths.contains(file) ? newPaths : NewPaths();
}

LocateFile::Answer LocateFile::offer(const NewPaths& newPaths, const std::string& file) const {
    QStringList found;
    for (const auto& [lost, entry] : newPaths) {
        found << entry;
    }
    QMessageBox box(
        QMessageBox::Question,
        tr("Found in your model folders"),
        tr("%1 is in your model folders. Use it?").arg(QFileInfo(newPaths.at(file)).fileName()),
        QMessageBox::Cancel,
        window_);
    box.setObjectName(QStringLiteral("locateKnown"));
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(found.join(QLatin1Char('\n')));
    QPushButton* use =
        box.addButton(newPaths.size() > 1 ? tr("Use all") : tr("Use it"), QMessageBox::AcceptRole);
    QPushButton* choose = box.addButton(tr("Choose another..."), QMessageBox::ActionRole);
    use->setObjectName(QStringLiteral("useKnown"));
    choose->setObjectName(QStringLiteral("chooseOther"));
    box.setDefaultButton(use);
    box.exec();
    return box.clickedButton() == use      ? Answer::Use
           : box.clickedButton() == choose ? Answer::Choose
                                           : Answer::Cancel;
}

void LocateFile::use(const NewPaths& newPaths, const QString& name) {
    model_.endMerging();
    model_.apply(tr("Locate %1").arg(name), [&](graph::Document& document) {
        relocate(document, model_.catalog(), newPaths);
    });
}

QString LocateFile::choose(const std::string& file) const {
    const QFileInfo lost(QString::fromStdString(file));
    QFileDialog dialog(window_, tr("Where is %1?").arg(lost.fileName()));
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

bool LocateFile::wants(const NewPaths& others) const {
    QStringList names;
    for (const auto& [file, entry] : others) {
        names << QFileInfo(entry).fileName();
    }
    QMessageBox box(
        QMessageBox::Question,
        tr("Others are missing too"),
        tr("The same folder holds the other missing files of this graph. Use them as well?"),
        QMessageBox::NoButton,
        window_);
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
