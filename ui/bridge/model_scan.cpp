#include "ui/bridge/model_scan.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/path_text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <tuple>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;
constexpr std::array<std::string_view, 5> kEndings = {
    ".safetensors", ".gguf", ".ckpt", ".pth", ".pt"};
/// Of adapters alone: elsewhere they are parts of folders.
constexpr std::string_view kAdapterEnding = ".bin";

/// One look through all folders.
class Scan {
public:
    Scan(Recogniser* recogniser, ReadHeaders& known, const StopToken& stop)
        : recogniser_(recogniser), known_(known), stop_(stop) {}

    void look(const ModelFolder& folder) { enter(folder, folder.path, 0); }

    std::vector<FoundModel> takeFound() { return std::move(found_); }

private:
    void enter(const ModelFolder& top, const fs::path& folder, int depth) {
        std::error_code failure;
        const fs::path real = fs::canonical(folder, failure);
        if (failure || depth > kDeepest || !visited_.insert(real).second) {
            return;
        }
        if (fs::exists(folder / "model_index.json", failure)) {
            add(top, folder, recogniseFile(recogniser_, folder.string()));
            return;
        }
        for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
             it.increment(failure)) {
            if (stop_.mode() != CancelMode::No) {
                return;
            }
            std::error_code ignored;
            if (it->is_directory(ignored)) {
                enter(top, it->path(), depth + 1);
            } else if (isWeights(it->path(), top.kind) && it->is_regular_file(ignored)) {
                files::FileIdentity identity;
                ModelFile model = headerOf(it->path().string(), identity);
                add(top, it->path(), std::move(model), identity);
            }
        }
    }

    static bool isWeights(const fs::path& path, ModelKind kind) {
        const std::string ending = toLower(path.extension().string());
        if (ending == kAdapterEnding) {
            return kind == ModelKind::Embedding || kind == ModelKind::IpAdapter;
        }
        return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
    }

    ModelFile headerOf(const std::string& path, files::FileIdentity& identity) {
        if (!isValidUtf8(path)) {
            return recogniseFile(recogniser_, path);
        }
        try {
            identity = files::stampOfFile(path).identity;
            const auto before = known_.find(path);
            if (before != known_.end() && before->second.identity == identity) {
                return before->second.model;
            }
            ModelFile model = recogniseFile(recogniser_, path);
            known_[path] = {.identity = identity, .model = model};
            return model;
        } catch (const Error& error) {
            ModelFile model{.path = path, .name = fs::path(path).filename().string()};
            model.problem = error.message();
            return model;
        }
    }

    void add(const ModelFolder& top,
             const fs::path& path,
             ModelFile model,
             const files::FileIdentity& identity = {}) {
        if (model.kind == ModelKind::Other && model.family.empty() &&
            isValidUtf8(path.string())) {  // else no list may offer it
            model.kind = top.kind;
        }
        const fs::path relative = path.lexically_relative(top.path);
        found_.push_back(
            {.file = std::move(model),
             .folder = top.path,
             .relative = files::pathText((relative == "." ? path.filename() : relative).string()),
             .identity = identity});
    }

    Recogniser* recogniser_;
    ReadHeaders& known_;
    const StopToken& stop_;
    std::set<fs::path> visited_;
    std::vector<FoundModel> found_;
};

}  // namespace

std::vector<FoundModel> scanModels(const std::vector<ModelFolder>& folders,
                                   Recogniser* recogniser,
                                   ReadHeaders& known,
                                   const StopToken& stop) {
    Scan scan(recogniser, known, stop);
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
