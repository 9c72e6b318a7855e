#pragma once

#include "cli/commands.hpp"
#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lowtide::cli {

/// The module, started with the threads, the cuDNN and the model folders that were asked for. `log`
/// is the least important level of its lines. Error{NotFound} names a model folder or paths file
/// that is not there, Error{Corrupt} a paths file that is none.
[[nodiscard]] Plugin& startModule(const GraphArguments& arguments,
                                  const std::string& log = "warning");

/// The folders of models that `--model-folder` names, each absolute. Errors as startModule.
[[nodiscard]] std::vector<std::string> foldersNamed(const std::vector<std::string>& given);

/// What the module gave.
struct Answer {
    Status status = Status::Failed;
    Json result;
};

/// Of a function of Runner: `ask` hands it the text that it fills.
[[nodiscard]] Answer answerOf(const std::function<Status(std::string&)>& ask);
/// Plugin::call with its JSON; docs/calls.md has the names.
[[nodiscard]] Answer call(Plugin& plugin,
                          const char* name,
                          const Json& request,
                          Watch* watch = nullptr);

/// The module's refusal or a failure, of which the issues were printed: the command ends with the
/// status.
struct Ended {
    Status status;
};

/// The result of what ended well; else prints the issues and throws Ended.
[[nodiscard]] Json resultOf(Answer answer);

}  // namespace lowtide::cli
