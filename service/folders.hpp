#pragma once
// The folders that requests may name files in, and graphs as requests give them.

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/models/model_folders.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::service {

/// All are absolute.
struct ServiceFolders {
    std::string out;    ///< what runs write
    std::string input;  ///< what clients upload; relative names of graphs are meant from here
    std::string temp;   ///< images that a client sees and nobody keeps
    std::string user;   ///< what clients keep of their own
    std::vector<ui::ModelFolder> models{};
    std::vector<std::string> moreInputs{};  ///< in which images are looked for, too
};

/// Those below `out`, made where they are missing. Errors as files::makeFolders.
[[nodiscard]] ServiceFolders foldersBelow(const std::string& out,
                                          std::vector<ui::ModelFolder> models);

/// The path of what a client names below a folder; nothing: it would leave it, or is no name.
[[nodiscard]] std::optional<std::string> pathBelow(const std::string& folder,
                                                   const std::string& name);
/// Whether an absolute path is one of the folder or below it, by its text.
[[nodiscard]] bool isBelow(const std::string& folder, const std::string& path);
/// Whether it is below one of the folders for requests.
[[nodiscard]] bool isBelowAny(const ServiceFolders& folders, const std::string& path);

/// An error for each parameter of the graph that names a file or folder outside of them.
[[nodiscard]] Issues foreignPaths(const graph::Document& document,
                                  const graph::Catalog& catalog,
                                  const ServiceFolders& folders);

/// The models as graphs write them, by the names of ComfyUI's folders ("checkpoints"). Files that
/// lie in a folder for all kinds are in each.
[[nodiscard]] std::map<std::string, std::vector<std::string>> modelNames(
    const ServiceFolders& folders);

}  // namespace lowtide::service
