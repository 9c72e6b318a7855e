#include "ui/bridge/model_folders.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

struct NamedFolder {
    const char* name;
    ModelKind kind;
};

constexpr std::array kNames = {NamedFolder{"checkpoints", ModelKind::Checkpoint},
                               NamedFolder{"diffusers", ModelKind::Checkpoint},
                               NamedFolder{"vae", ModelKind::Autoencoder},
                               NamedFolder{"upscale_models", ModelKind::Upscaler},
                               NamedFolder{"controlnet", ModelKind::ControlNet},
                               NamedFolder{"t2i_adapter", ModelKind::ControlNet},
                               NamedFolder{"Stable-diffusion", ModelKind::Checkpoint},
                               NamedFolder{"VAE", ModelKind::Autoencoder},
                               NamedFolder{"ControlNet", ModelKind::ControlNet},
                               NamedFolder{"ESRGAN", ModelKind::Upscaler},
                               NamedFolder{"RealESRGAN", ModelKind::Upscaler}};

void addOnce(std::vector<ModelFolder>& folders, const std::vector<ModelFolder>& more) {
    for (const ModelFolder& folder : more) {
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
            folders.push_back(folder);
        }
    }
}

}  // namespace

std::vector<ModelFolder> modelFoldersIn(const std::string& chosen) {
    std::error_code unreadable;
    if (fs::exists(fs::path(chosen) / "model_index.json", unreadable)) {
        return {{chosen, ModelKind::Checkpoint}};  // one model, whose parts lie in folders of it
    }
    std::vector<ModelFolder> folders;
    for (const fs::path& base : {fs::path(chosen), fs::path(chosen) / "models"}) {
        for (const NamedFolder& named : kNames) {
            std::error_code ignored;
            if (fs::is_directory(base / named.name, ignored)) {
                folders.push_back({(base / named.name).string(), named.kind});
            }
        }
    }
    if (folders.empty()) {
        folders.push_back({chosen, ModelKind::Other});
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
            addOnce(resolved.folders, readModelPaths(file));
        } catch (const Error& error) {
            resolved.problems.push_back(error.message());
        }
    }
    return resolved;
}

}  // namespace lowtide::ui
