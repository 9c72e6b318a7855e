#include "service/folders.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/models/model_kind.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace lowtide::service {

namespace {

/// Of a file that a graph names. Names without a folder are looked up where the engine looks.
bool isForeignPath(const std::string& value, const ServiceFolders& folders) {
    const std::filesystem::path path(value);
    return path.is_absolute() ? !isBelowAny(folders, value)
                              : !value.empty() && !pathBelow(folders.input, value);
}

}  // namespace

ServiceFolders foldersBelow(const std::string& out, std::vector<ui::ModelFolder> models) {
    ServiceFolders folders{.out = out,
                           .input = out + "/input",
                           .temp = out + "/temp",
                           .user = out + "/user",
                           .models = std::move(models)};
    for (const std::string& folder : {folders.out, folders.input, folders.temp, folders.user}) {
        files::makeFolders(folder);
    }
    std::set<std::string> inputs;
    for (const ui::ModelFolder& folder : folders.models) {  // ComfyUI/models/checkpoints
        const std::filesystem::path path(folder.path);
        for (const auto& root : {path.parent_path(), path.parent_path().parent_path()}) {
            std::error_code ignored;
            if (std::filesystem::is_directory(root / "input", ignored)) {
                inputs.insert((root / "input").string());
            }
        }
    }
    folders.moreInputs.assign(inputs.begin(), inputs.end());
    return folders;
}

std::optional<std::string> pathBelow(const std::string& folder, const std::string& name) {
    const std::filesystem::path relative(name);
    if (name.empty() || relative.is_absolute() || name.find('\0') != name.npos ||
        name.find('\\') != name.npos || !isValidUtf8(name)) {
        return std::nullopt;
    }
    const std::filesystem::path path =
        (std::filesystem::path(folder) / relative).lexically_normal();
    const bool isOnlyFolder = path.filename().empty();
    return !isOnlyFolder && isBelow(folder, path.string()) ? std::optional(path.string())
                                                           : std::nullopt;
}

bool isBelow(const std::string& folder, const std::string& path) {
    const std::string normal = std::filesystem::path(path).lexically_normal().string();
    const std::string root = std::filesystem::path(folder + "/").lexically_normal().string();
    return normal.starts_with(root) || normal + "/" == root;
}

bool isBelowAny(const ServiceFolders& folders, const std::string& path) {
    const auto holds = [&](const std::string& folder) { return isBelow(folder, path); };
    return holds(folders.out) || holds(folders.input) || holds(folders.temp) ||
           std::ranges::any_of(folders.moreInputs, holds) ||
           std::ranges::any_of(folders.models, holds, &ui::ModelFolder::path);
}

Issues foreignPaths(const graph::Document& document,
                    const graph::Catalog& catalog,
                    const ServiceFolders& folders) {
    Issues issues;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* const desc = catalog.find(node.type);
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            const bool isPath = param.kind == ParamKind::File || param.kind == ParamKind::Folder;
            if (!isPath || !node.params.contains(param.id) || !node.params[param.id].is_string()) {
                continue;
            }
            const auto value = node.params[param.id].get<std::string>();
            if (isForeignPath(value, folders)) {
                issues.push_back(
                    {.code = "path_outside",
                     .node = id,
                     .item = param.id,
                     .message =
                         message("{} is in none of the folders of this service", quotedName(value)),
                     .hint =
                         message("upload the file, or start lowtide serve with --model-folder")});
            }
        }
    }
    return issues;
}

std::map<std::string, std::vector<std::string>> modelNames(const ServiceFolders& folders) {
    std::map<std::string, std::set<std::string>> names;
    for (const ui::KindFolder& kind : ui::kindFolders()) {
        if (kind.isOfComfy) {
            names[kind.name];
        }
    }
    for (const ui::ModelFolder& folder : folders.models) {
        ui::ModelFinder finder(ui::hasWeightsEnding, [&](const ui::ModelPath& model) {
            for (const ui::KindFolder& kind : ui::kindFolders()) {
                const bool fits = folder.kind == kind.kind || folder.kind == ui::ModelKind::Other;
                if (kind.isOfComfy && fits) {
                    names[kind.name].insert(model.relative);
                }
            }
            return true;
        });
        finder.look(folder.path);
    }
    std::map<std::string, std::vector<std::string>> lists;
    for (auto& [name, files] : names) {
        lists[name].assign(files.begin(), files.end());
    }
    return lists;
}

}  // namespace lowtide::service
