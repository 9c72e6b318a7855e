#pragma once

#include "plugin/base/message.hpp"
#include "ui/models/model_kind.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::ui {

/// A folder in which files of one kind lie.
struct ModelFolder {
    std::string path;
    /// Other: files of every kind.
    ModelKind kind = ModelKind::Other;

    bool operator==(const ModelFolder&) const = default;
};

/// Whether a user named an extra_model_paths.yaml, by its ending.
[[nodiscard]] bool isModelPathsFile(std::string_view path);

/// The folders of models below a folder that a user chose, in it or in its folder "models", by
/// the names of ComfyUI (checkpoints, loras, ...) and of Automatic1111's web UI (Stable-diffusion,
/// Lora, ...); the folder itself where it has none of them.
[[nodiscard]] std::vector<ModelFolder> modelFoldersIn(const std::string& chosen);

/// The folders of everything that a user chose, each once.
struct ResolvedFolders {
    std::vector<ModelFolder> folders;
    std::vector<std::string> missing;  ///< chosen folders that are not there
    std::vector<Message> problems;     ///< of paths files
};

/// Folders, and extra_model_paths.yaml files.
[[nodiscard]] ResolvedFolders resolveFolders(const std::vector<std::string>& chosen,
                                             const std::vector<std::string>& pathsFiles);

/// The folders that an extra_model_paths.yaml of ComfyUI names: in each section `base_path` and,
/// by kind, one path or several lines of them. Relative ones are meant from base_path, that from
/// the file's own folder; in it "~" is the user's home and "$NAME" a variable of the environment.
/// Sections with `is_default: true` come first. Kinds that have no node here are left out.
/// Error{Corrupt} names the line of what is no YAML or has another shape; Error{NotFound}.
[[nodiscard]] std::vector<ModelFolder> readModelPaths(const std::string& path);
/// The same of its text. `name` is for messages.
[[nodiscard]] std::vector<ModelFolder> parseModelPaths(std::string_view text,
                                                       const std::string& folder,
                                                       const std::string& name);
/// A sentence about those of a paths file's folders that do not exist; empty: all do.
[[nodiscard]] Message absentFolders(const std::string& path,
                                    const std::vector<ModelFolder>& folders);

/// A file of weights, or a folder in the diffusers layout, below a folder of models.
struct ModelPath {
    std::string path;
    std::string relative;  ///< from that folder, as a graph may name it: "org/name" in a cache
    bool isFolder = false;
};

/// Looks through folders, at most eight levels deep, each real folder once; links are followed. Of
/// a model in several files the first one stands for all.
class ModelFinder {
public:
    /// `isWeights` of a file; `visit` returns whether to go on.
    ModelFinder(std::function<bool(const std::filesystem::path&)> isWeights,
                std::function<bool(const ModelPath&)> visit)
        : isWeights_(std::move(isWeights)), visit_(std::move(visit)) {}

    /// False where `visit` ended it.
    bool look(const std::string& folder) { return enter(folder, {}, 0); }

private:
    bool enter(const std::filesystem::path& folder,
               const std::filesystem::path& relative,
               int depth);

    std::function<bool(const std::filesystem::path&)> isWeights_;
    std::function<bool(const ModelPath&)> visit_;
    std::set<std::filesystem::path> visited_;
};

/// By its ending: .safetensors, .gguf, .ckpt, .pth or .pt.
[[nodiscard]] bool hasWeightsEnding(const std::filesystem::path& path);

}  // namespace lowtide::ui
