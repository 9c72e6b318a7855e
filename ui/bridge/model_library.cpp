#include "ui/bridge/model_library.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/downloads.hpp"
#include "ui/bridge/background.hpp"
#include "ui/language/module_texts.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuiltin = "builtin:";
constexpr std::string_view kMini = "builtin:mini";

std::vector<std::string> stringsOf(const QStringList& list) {
    std::vector<std::string> texts;
    for (const QString& each : list) {
        texts.push_back(each.toStdString());
    }
    return texts;
}

/// Relative to the first engine folder that has something of that name, if that is the model.
std::string valueOf(const FoundModel& model, const std::vector<std::string>& engineFolders) {
    for (const std::string& folder : engineFolders) {
        if (const auto path = files::placeBelow(folder, model.relative)) {
            std::error_code ignored;
            return fs::equivalent(*path, model.file.path, ignored) ? model.relative
                                                                   : model.file.path;
        }
    }
    return model.file.path;
}

bool isFound(const std::vector<std::string>& engineFolders,
             const std::string& value,
             const QString& graphFolder) {
    const std::string typed = trim(value);
    if (typed.starts_with(kBuiltin)) {
        return typed == kMini;
    }
    const fs::path path = typed;
    std::error_code ignored;
    if (path.is_absolute() || fs::exists(fs::path(graphFolder.toStdString()) / path, ignored)) {
        return path.is_absolute() ? fs::exists(path, ignored) : true;
    }
    return std::any_of(engineFolders.begin(), engineFolders.end(), [&](const std::string& folder) {
        return files::placeBelow(folder, typed).has_value();
    });
}

}  // namespace

struct ModelLibrary::State {
    Recognise recognise;
    std::vector<ModelFolder> folders;
    std::vector<FoundModel> models;
    std::vector<std::string> engineFolders;
    QStringList problems;
    QStringList chosen;
    QStringList pathsFiles;
    Bytes budget = 0;
    int lastScan = 0;
    bool isScanning = false;
    StopSource stop;    ///< of the last scan
    ReadHeaders known;  ///< touched by the scanning thread only
    Background background;
};

struct ModelLibrary::Found {
    ResolvedFolders folders;
    std::vector<FoundModel> models;
};

ModelLibrary::ModelLibrary(Recognise recognise, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>()) {
    state_->recognise = std::move(recognise);
}

ModelLibrary::~ModelLibrary() {
    state_->stop.cancel(CancelMode::Now);
}

void ModelLibrary::setFolders(const QStringList& chosen, const QStringList& pathsFiles) {
    state_->chosen = chosen;
    state_->pathsFiles = pathsFiles;
    rescan();
}

void ModelLibrary::rescan() {
    state_->stop.cancel(CancelMode::Now);
    state_->stop = StopSource();
    state_->isScanning = true;
    state_->background.run([this,
                            scan = ++state_->lastScan,
                            chosen = stringsOf(state_->chosen),
                            pathsFiles = stringsOf(state_->pathsFiles),
                            engineFolders = state_->engineFolders,
                            recognise = state_->recognise,
                            &known = state_->known,
                            stop = state_->stop.token()]() -> Background::Answer {
        auto found = std::make_shared<Found>();
        found->folders = resolveFolders(chosen, pathsFiles);
        found->models = scanModels(found->folders.folders, recognise, known, stop);
        for (FoundModel& model : found->models) {
            model.value = valueOf(model, engineFolders);
        }
        return [this, scan, found] { take(scan, std::move(*found)); };
    });
    Q_EMIT changed();
}

bool ModelLibrary::isScanning() const {
    return state_->isScanning;
}

const std::vector<FoundModel>& ModelLibrary::models() const {
    return state_->models;
}

ModelFile ModelLibrary::fileAt(const std::string& path) const {
    return recogniseFile(state_->recognise, path);
}

const std::vector<ModelFolder>& ModelLibrary::folders() const {
    return state_->folders;
}

const QStringList& ModelLibrary::problems() const {
    return state_->problems;
}

void ModelLibrary::setBudget(Bytes budget) {
    if (budget != state_->budget) {
        state_->budget = budget;
        Q_EMIT budgetChanged();
    }
}

Bytes ModelLibrary::budget() const {
    return state_->budget;
}

ModelVerdict ModelLibrary::verdictOf(const FoundModel& model) const {
    return ui::verdictOf(model.file, state_->budget);
}

void ModelLibrary::setEngineFolders(std::vector<std::string> folders) {
    state_->engineFolders = std::move(folders);
}

bool ModelLibrary::isThere(const std::string& value, const QString& graphFolder) const {
    return isFound(state_->engineFolders, value, graphFolder);
}

std::function<bool(const std::string&, const QString&)> ModelLibrary::whatIsThere() const {
    return [folders = state_->engineFolders](const std::string& value, const QString& graphFolder) {
        return isFound(folders, value, graphFolder);
    };
}

void ModelLibrary::take(int scan, Found found) {
    if (scan != state_->lastScan) {
        return;
    }
    ResolvedFolders& resolved = found.folders;
    state_->isScanning = false;
    state_->folders = std::move(resolved.folders);
    state_->models = std::move(found.models);
    state_->problems.clear();
    for (const std::string& folder : resolved.missing) {
        state_->problems.push_back(
            tr("The folder %1 is not there.").arg(QString::fromStdString(folder)));
    }
    for (const std::string& problem : resolved.problems) {
        state_->problems.push_back(moduleSentence(problem));
    }
    Q_EMIT changed();
    Q_EMIT scanned();
}

}  // namespace lowtide::ui
