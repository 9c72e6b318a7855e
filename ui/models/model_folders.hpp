#pragma once

#include "ui/models/model_kind.hpp"

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

/// Whether a person named an extra_model_paths.yaml, by its ending.
[[nodiscard]] bool isModelPathsFile(std::string_view path);

/// The folders of models below a folder that a person chose, in it or in its folder "models", by
/// the names of ComfyUI (checkpoints, loras, ...) and of Automatic1111's web UI (Stable-diffusion,
/// Lora, ...); the folder itself where it has none of them.
[[nodiscard]] std::vector<ModelFolder> modelFoldersIn(const std::string& chosen);

/// The folders of everything that a person chose, each once.
struct ResolvedFolders {
    std::vector<ModelFolder> folders;
    std::vector<std::string> missing;   ///< chosen folders that are not there
    std::vector<std::string> problems;  ///< of paths files, as sentences
};

/// Folders, and extra_model_paths.yaml files.
[[nodiscard]] ResolvedFolders resolveFolders(const std::vector<std::string>& chosen,
                                             const std::vector<std::string>& pathsFiles);

/// The folders that an extra_model_paths.yaml of ComfyUI names: in each section `base_path` and,
/// by kind, one path or several lines of them. Relative ones are meant from base_path, that from
/// the file's own folder; in it "~" is the user's home and "$NAME" a variable of the environment.
/// Sections with `is_default: true` come first. Kinds that have no node here are left out.
/// Error{Corrupt} says the line of what is no YAML or has another shape; Error{NotFound}.
[[nodiscard]] std::vector<ModelFolder> readModelPaths(const std::string& path);
/// The same of its text. `name` is for messages.
[[nodiscard]] std::vector<ModelFolder> parseModelPaths(std::string_view text,
                                                       const std::string& folder,
                                                       const std::string& name);
/// A sentence about those of a paths file's folders that do not exist; empty: all do.
[[nodiscard]] std::string absentFolders(const std::string& path,
                                        const std::vector<ModelFolder>& folders);

}  // namespace lowtide::ui
