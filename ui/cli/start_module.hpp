#pragma once

#include "plugin/host_api/runner.hpp"
#include "ui/cli/commands.hpp"

#include <string>

namespace lowtide::cli {

/// The module, started with the threads, the cuDNN and the model folders that were asked for. `log`
/// is the least important level of its lines. Error{NotFound} names a model folder or paths file
/// that is not there, Error{Corrupt} a paths file that is none.
[[nodiscard]] Plugin& startModule(const GraphArguments& arguments,
                                  const std::string& log = "warning");

}  // namespace lowtide::cli
