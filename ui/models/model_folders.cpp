#include "ui/models/model_folders.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

void addOnce(std::vector<ModelFolder>& folders, const std::vector<ModelFolder>& more) {
    for (const ModelFolder& folder : more) {
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
            folders.push_back(folder);
        }
    }
}

}  // namespace

bool isModelPathsFile(std::string_view path) {
    return path.ends_with(".yaml") || path.ends_with(".yml");
}

std::vector<ModelFolder> modelFoldersIn(const std::string& chosen) {
    std::error_code unreadable;
    if (fs::exists(fs::path(chosen) / "model_index.json", unreadable)) {
        return {{chosen, ModelKind::Checkpoint}};  // one model, whose parts lie in folders of it
    }
    std::vector<ModelFolder> folders;
    for (const fs::path& base : {fs::path(chosen), fs::path(chosen) / "models"}) {
        for (const KindFolder& named : kindFolders()) {
            std::error_code ignored;
            if (fs::is_directory(base / named.name, ignored)) {
                folders.push_back({(base / named.name).string(), named.kind});
            }
        }
    }
    if (folders.empty()) {
        const fs::path hub = fs::path(chosen) / "hub";  // of Hugging Face's cache
        std::error_code ignored;
        const bool isCache = fs::is_directory(hub, ignored);
        folders.push_back({isCache ? hub.string() : chosen, ModelKind::Other});
    }
    return folders;
}

ResolvedFolders resolveFolders(const std::vector<std::string>& chosen,
                               const std::vector<std::string>& pathsFiles) {
    ResolvedFolders resolved;
    for (const std::string& folder : chosen) {
        std::error_code ignored;
        if (fs::is_directory(folder, ignored)) {
            addOnce(resolved.folders, modelFoldersIn(folder));
        } else {
            resolved.missing.push_back(folder);
        }
    }
    for (const std::string& file : pathsFiles) {
        try {
            const std::vector<ModelFolder> named = readModelPaths(file);
            addOnce(resolved.folders, named);
            if (std::string absent = absentFolders(file, named); !absent.empty()) {
                resolved.problems.push_back(std::move(absent));
            }
        } catch (const Error& error) {
            resolved.problems.push_back(error.message().str());
        }
    }
    return resolved;
}

}  // namespace lowtide::ui
