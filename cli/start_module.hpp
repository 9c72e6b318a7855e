#pragma once

#include "cli/commands.hpp"
#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "service/followed_run.hpp"
#include "ui/models/model_folders.hpp"

#include <string>
#include <vector>

namespace lowtide::cli {

/// The module, started with the threads, the cuDNN and the model folders that were asked for. `log`
/// is the least important level of its lines. Error{NotFound} names a model folder or paths file
/// that is not there, Error{Corrupt} a paths file that is none.
[[nodiscard]] Plugin& startModule(const GraphArguments& arguments,
                                  const std::string& log = "warning");

/// The folders of models that `--model-folder` names, each absolute. Errors as startModule.
[[nodiscard]] std::vector<ui::ModelFolder> modelFoldersNamed(const std::vector<std::string>& given);
/// Their paths.
[[nodiscard]] std::vector<std::string> foldersNamed(const std::vector<std::string>& given);

using service::Answer;
using service::answerOf;
using service::call;

/// The module's refusal or a failure, of which the issues were printed: the command ends with the
/// status.
struct Ended {
    Status status;
};

/// The result of what ended well; else prints the issues and throws Ended.
[[nodiscard]] Json resultOf(Answer answer);

}  // namespace lowtide::cli
