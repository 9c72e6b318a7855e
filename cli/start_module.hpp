#pragma once

#include "cli/commands.hpp"
#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

#include <string>

namespace lowtide::cli {

/// The module, started with the threads, the cuDNN and the model folders that were asked for. `log`
/// is the least important level of its lines. Error{NotFound} names a model folder or paths file
/// that is not there, Error{Corrupt} a paths file that is none.
[[nodiscard]] Plugin& startModule(const GraphArguments& arguments,
                                  const std::string& log = "warning");

/// What Plugin::call gave.
struct CallAnswer {
    Status status = Status::Ok;
    Json result;
};

/// Plugin::call with its JSON; docs/calls.md has the names.
[[nodiscard]] CallAnswer call(Plugin& plugin,
                              const char* name,
                              const Json& request,
                              Watch* watch = nullptr);

}  // namespace lowtide::cli
