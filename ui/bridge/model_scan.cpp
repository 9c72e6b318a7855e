#include "ui/bridge/model_scan.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/paths.hpp"
#include "ui/models/model_walk.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace lowtide::ui {

namespace {

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
        walk_.look(folder.path);
    }

    std::vector<FoundModel> takeFound() { return std::move(found_); }

private:
    static bool isWeights(const fs::path& path, ModelKind kind) {
        if (toLower(path.extension().string()) == kAdapterEnding) {
            return kind == ModelKind::Embedding || kind == ModelKind::IpAdapter;
        }
        return hasWeightsEnding(path);
    }

    bool visit(const WalkedModel& walked) {
        if (stop_.mode() != CancelMode::No) {
            return false;
        }
        files::FileIdentity identity;
        ModelFile model = walked.isFolder ? recogniseFile(recognise_, walked.path)
                                          : headerOf(walked.path, identity);
        add(walked, std::move(model), identity);
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
            model.problem = error.message().str();
            return model;
        }
    }

    void add(const WalkedModel& walked, ModelFile model, const files::FileIdentity& identity) {
        if (model.kind == ModelKind::Other && model.family.empty() &&
            isValidUtf8(walked.path)) {  // else no list may offer it
            model.kind = top_->kind;
        }
        found_.push_back({.file = std::move(model),
                          .folder = top_->path,
                          .relative = files::pathText(walked.relative),
                          .identity = identity});
    }

    const Recognise& recognise_;
    ReadHeaders& known_;
    const StopToken& stop_;
    const ModelFolder* top_ = nullptr;  ///< that is looked through
    ModelWalk walk_{[this](const fs::path& path) { return isWeights(path, top_->kind); },
                    [this](const WalkedModel& walked) { return visit(walked); }};
    std::vector<FoundModel> found_;
};

}  // namespace

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

}  // namespace lowtide::ui
