#include "ui/bridge/model_library.hpp"

#include "plugin/base/text.hpp"

#include <QThread>

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

}  // namespace

struct ModelLibrary::State {
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
    QThread thread;
    QObject* scanner = nullptr;  ///< lives on the thread
};

ModelLibrary::ModelLibrary(QObject* parent) : QObject(parent), state_(std::make_unique<State>()) {
    state_->scanner = new QObject;
    state_->scanner->moveToThread(&state_->thread);
    connect(&state_->thread, &QThread::finished, state_->scanner, &QObject::deleteLater);
    state_->thread.start();
}

ModelLibrary::~ModelLibrary() {
    state_->stop.cancel(CancelMode::Now);
    state_->thread.quit();
    state_->thread.wait();
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
    QMetaObject::invokeMethod(
        state_->scanner,
        [this,
         scan = ++state_->lastScan,
         chosen = stringsOf(state_->chosen),
         pathsFiles = stringsOf(state_->pathsFiles),
         stop = state_->stop.token()] {
            ResolvedFolders resolved = resolveFolders(chosen, pathsFiles);
            auto found = scanModels(resolved.folders, state_->known, stop);
            QMetaObject::invokeMethod(
                this,
                [this, scan, resolved = std::move(resolved), found = std::move(found)]() mutable {
                    take(scan, std::move(resolved), std::move(found));
                },
                Qt::QueuedConnection);
        },
        Qt::QueuedConnection);
    Q_EMIT changed();
}

bool ModelLibrary::isScanning() const {
    return state_->isScanning;
}

const std::vector<FoundModel>& ModelLibrary::models() const {
    return state_->models;
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
        Q_EMIT changed();
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

QString ModelLibrary::valueOf(const FoundModel& model) const {
    for (const std::string& folder : state_->engineFolders) {
        std::error_code ignored;
        const fs::path path = fs::path(folder) / model.relative;
        if (fs::exists(path, ignored)) {
            const bool isIt = fs::equivalent(path, model.file.path, ignored);
            return QString::fromStdString(isIt ? model.relative : model.file.path);
        }
    }
    return QString::fromStdString(model.file.path);
}

bool ModelLibrary::isThere(const std::string& value, const QString& graphFolder) const {
    const std::string typed = trim(value);
    if (typed.starts_with(kBuiltin)) {
        return typed == kMini;
    }
    const fs::path path = typed;
    std::error_code ignored;
    if (path.is_absolute() || fs::exists(fs::path(graphFolder.toStdString()) / path, ignored)) {
        return path.is_absolute() ? fs::exists(path, ignored) : true;
    }
    return std::any_of(
        state_->engineFolders.begin(), state_->engineFolders.end(), [&](const std::string& folder) {
            return fs::exists(fs::path(folder) / path, ignored);
        });
}

void ModelLibrary::take(int scan, ResolvedFolders resolved, std::vector<FoundModel> found) {
    if (scan != state_->lastScan) {
        return;
    }
    state_->isScanning = false;
    state_->folders = std::move(resolved.folders);
    state_->models = std::move(found);
    state_->problems.clear();
    for (const std::string& folder : resolved.missing) {
        state_->problems.push_back(
            tr("The folder %1 is not there.").arg(QString::fromStdString(folder)));
    }
    for (const std::string& problem : resolved.problems) {
        state_->problems.push_back(QString::fromStdString(problem));
    }
    Q_EMIT changed();
    Q_EMIT scanned();
}

}  // namespace lowtide::ui
