#include "cli/start_module.hpp"

#include "plugin/base/error.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <cstdio>
#include <filesystem>
#include <vector>

namespace lowtide::cli {

std::vector<ui::ModelFolder> modelFoldersNamed(const std::vector<std::string>& given) {
    std::vector<ui::ModelFolder> folders;
    for (const std::string& asked : given) {
        const std::string path = std::filesystem::absolute(asked).lexically_normal().string();
        const bool isPathsFile = ui::isModelPathsFile(path);
        std::error_code ignored;
        if (!isPathsFile && !std::filesystem::is_directory(path, ignored)) {
            throw Error(ErrorKind::NotFound,
                        message("--model-folder: there is no folder \"{}\"", asked),
                        message("name a folder with models, or an extra_model_paths.yaml"));
        }
        const std::vector<ui::ModelFolder> named =
            isPathsFile ? ui::readModelPaths(path) : ui::modelFoldersIn(path);
        if (const Message absent = isPathsFile ? ui::absentFolders(path, named) : Message();
            !absent.empty()) {
            std::fprintf(stderr, "lowtide: warning: --model-folder: %s\n", absent.str().c_str());
        }
        for (const ui::ModelFolder& folder : named) {
            folders.push_back(
                {modulePath(folder.path, message("the folder with models")), folder.kind});
        }
    }
    return folders;
}

std::vector<std::string> foldersNamed(const std::vector<std::string>& given) {
    std::vector<std::string> paths;
    for (const ui::ModelFolder& folder : modelFoldersNamed(given)) {
        paths.push_back(folder.path);
    }
    return paths;
}

Plugin& startModule(const GraphArguments& arguments, const std::string& log) {
    return loader::startPlugin({.threads = arguments.threads,
                                .log = log,
                                .cudnnApi = arguments.cudnnApi,
                                .modelFolders = foldersNamed(arguments.modelFolders)});
}

Json resultOf(Answer answer) {
    if (answer.status != Status::Ok) {
        printIssues(answer.result.value("issues", Json::array()));
        throw Ended{answer.status};
    }
    return std::move(answer.result);
}

}  // namespace lowtide::cli
