#include "ui/bridge/model_library.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/paths.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/engine.hpp"
#include "ui/language/module_texts.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr Bytes kTensorsAtOnce = 4;

Message refusalIn(const Json& answer, const std::string& name) {
    const Issues issues = issuesFromJson(memberIn(answer, "issues"));
    return issues.empty() ? message("the module does not say what {} is", name)
                          : issues.front().message;
}

/// The file, or the folder above it, whose name is no text.
std::string firstUnnamed(const std::string& text, const std::string& path) {
    const std::vector<std::string> shown = split(text, '/');
    const std::vector<std::string> bytes = split(path, '/');
    const auto [name, real] = std::mismatch(shown.begin(), shown.end(), bytes.begin(), bytes.end());
    return name == shown.end() ? text : *name;
}

namespace fs = std::filesystem;

/// Of adapters alone: elsewhere they are parts of folders.
constexpr std::string_view kAdapterEnding = ".bin";

/// One look through all folders.
class Scan {
public:
    Scan(const Recognise& recognise, ReadHeaders& known, const StopToken& stop)
        : recognise_(recognise), known_(known), stop_(stop) {}

    void look(const ModelFolder& folder) {
        top_ = &folder;
        finder_.look(folder.path);
    }

    std::vector<FoundModel> takeFound() { return std::move(found_); }

private:
    static bool isWeights(const fs::path& path, ModelKind kind) {
        if (toLower(path.extension().string()) == kAdapterEnding) {
            return kind == ModelKind::Embedding || kind == ModelKind::IpAdapter;
        }
        return hasWeightsEnding(path);
    }

    bool visit(const ModelPath& entry) {
        if (stop_.mode() != CancelMode::No) {
            return false;
        }
        files::FileIdentity identity;
        ModelFile model =
            entry.isFolder ? recogniseFile(recognise_, entry.path) : headerOf(entry.path, identity);
        add(entry, std::move(model), identity);
        return true;
    }

    ModelFile headerOf(const std::string& path, files::FileIdentity& identity) {
        if (!isValidUtf8(path)) {
            return recogniseFile(recognise_, path);
        }
        try {
            identity = files::stampOfFile(path).identity;
            const auto before = known_.find(path);
            if (before != known_.end() && before->second.identity == identity) {
                return before->second.model;
            }
            ModelFile model = recogniseFile(recognise_, path);
            if (model.problem.empty() && model.needs.empty()) {  // what it lacks may come
                known_[path] = {.identity = identity, .model = model};
            }
            return model;
        } catch (const Error& error) {
            ModelFile model{.path = path, .name = fs::path(path).filename().string()};
            model.problem = error.message();
            return model;
        }
    }

    void add(const ModelPath& entry, ModelFile model, const files::FileIdentity& identity) {
        if (model.kind == ModelKind::Other && model.family.empty() &&
            isValidUtf8(entry.path)) {  // else no list may offer it
            model.kind = top_->kind;
        }
        found_.push_back({.file = std::move(model),
                          .folder = top_->path,
                          .relative = files::pathText(entry.relative),
                          .identity = identity});
    }

    const Recognise& recognise_;
    ReadHeaders& known_;
    const StopToken& stop_;
    const ModelFolder* top_ = nullptr;  ///< that is looked through
    ModelFinder finder_{[this](const fs::path& path) { return isWeights(path, top_->kind); },
                        [this](const ModelPath& entry) { return visit(entry); }};
    std::vector<FoundModel> found_;
};

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
        if (const auto path = files::pathBelow(folder, model.relative)) {
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
        return files::pathBelow(folder, typed).has_value();
    });
}

}  // namespace

Recognise recogniserOf(const Engine& engine) {
    if (!engine.canCall("recognise")) {
        return {};
    }
    return [&plugin = engine.plugin()](const std::string& path, std::string& result) {
        return plugin.call("recognise", Json{{"path", path}}.dump(), nullptr, result);
    };
}

ModelFile recogniseFile(const Recognise& recognise, const std::string& path) {
    ModelFile model{.path = files::pathText(path), .name = {}};
    model.name = files::lastPart(model.path);
    if (model.path != path) {
        model.problem = message("the name {} is not UTF-8: rename it",
                                quotedName(firstUnnamed(model.path, path)));
        return model;
    }
    if (!recognise) {
        model.problem = message("{} cannot be read: the module is not there", model.name);
        return model;
    }
    std::string text;
    const Status status = recognise(path, text);
    const Json known = answerOf(text);
    const std::string kind = textIn(known, "kind");
    if (status != Status::Ok || kind.empty()) {
        model.problem = refusalIn(known, model.name);
        return model;
    }
    model.kind = modelKindNamed(kind);
    model.family = textIn(known, "family");
    model.isRunnable = memberIn(known, "runs") == true || textIn(known, "state") == "runs_with";
    model.needs = messageIn(known, "needs");
    model.weights = bytesIn(known, "bytes");
    model.largest = bytesIn(known, "largest_bytes");
    model.problem = messageIn(known, "problem");
    return model;
}

ModelVerdict verdictOf(const ModelFile& model, Bytes budget) {
    const Bytes space = budget / 4 * 3;
    if (budget <= 0 || model.weights == 0) {
        return ModelVerdict::Unknown;
    }
    if (model.weights <= space) {
        return ModelVerdict::Fits;
    }
    return model.largest <= space / kTensorsAtOnce ? ModelVerdict::Streams : ModelVerdict::TooBig;
}

std::vector<FoundModel> scanModels(const std::vector<ModelFolder>& folders,
                                   const Recognise& recognise,
                                   ReadHeaders& known,
                                   const StopToken& stop) {
    Scan scan(recognise, known, stop);
    for (const ModelFolder& folder : folders) {
        scan.look(folder);
    }
    std::vector<FoundModel> found = scan.takeFound();
    std::sort(found.begin(), found.end(), [](const FoundModel& a, const FoundModel& b) {
        return std::tuple(a.file.kind, toLower(a.relative), a.file.path) <
               std::tuple(b.file.kind, toLower(b.relative), b.file.path);
    });
    return found;
}

struct ModelLibrary::Found {
    ResolvedFolders folders;
    std::vector<FoundModel> models;
};

ModelLibrary::ModelLibrary(Recognise recognise, QObject* parent)
    : QObject(parent), recognise_(std::move(recognise)) {}

ModelLibrary::~ModelLibrary() {
    stop_.cancel(CancelMode::Now);
}

void ModelLibrary::setFolders(const QStringList& chosen, const QStringList& pathsFiles) {
    chosen_ = chosen;
    pathsFiles_ = pathsFiles;
    rescan();
}

void ModelLibrary::rescan() {
    stop_.cancel(CancelMode::Now);
    stop_ = StopSource();
    isScanning_ = true;
    background_.run([this,
                     scan = ++lastScan_,
                     chosen = stringsOf(chosen_),
                     pathsFiles = stringsOf(pathsFiles_),
                     engineFolders = engineFolders_,
                     recognise = recognise_,
                     &known = known_,
                     stop = stop_.token()]() -> Background::Answer {
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

ModelFile ModelLibrary::fileAt(const std::string& path) const {
    return recogniseFile(recognise_, path);
}

void ModelLibrary::setBudget(Bytes budget) {
    if (budget != budget_) {
        budget_ = budget;
        Q_EMIT budgetChanged();
    }
}

ModelVerdict ModelLibrary::verdictOf(const FoundModel& model) const {
    return ui::verdictOf(model.file, budget_);
}

bool ModelLibrary::isThere(const std::string& value, const QString& graphFolder) const {
    return isFound(engineFolders_, value, graphFolder);
}

std::function<bool(const std::string&, const QString&)> ModelLibrary::whatIsThere() const {
    return [folders = engineFolders_](const std::string& value, const QString& graphFolder) {
        return isFound(folders, value, graphFolder);
    };
}

void ModelLibrary::take(int scan, Found found) {
    if (scan != lastScan_) {
        return;
    }
    ResolvedFolders& resolved = found.folders;
    isScanning_ = false;
    folders_ = std::move(resolved.folders);
    models_ = std::move(found.models);
    problems_.clear();
    for (const std::string& folder : resolved.missing) {
        problems_.push_back(tr("The folder %1 is not there.").arg(QString::fromStdString(folder)));
    }
    for (const Message& problem : resolved.problems) {
        problems_.push_back(moduleSentence(problem));
    }
    Q_EMIT changed();
    Q_EMIT scanned();
}

}  // namespace lowtide::ui
