#pragma once
// The calls of a host that are not runs: one table of names for the C++ and the C entry point.

#include "plugin/host_api/runner.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::executor {
class SensitivityStore;
}

namespace lowtide::graph {
class Catalog;
}

namespace lowtide::memory {
class Engine;
}

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::module {

class DeviceCalibrator;
class ModuleRunner;

/// The parts of the engine that calls use.
struct CallParts {
    memory::Engine& engine;
    ModuleRunner& runner;
    nodes::Stages& stages;
    DeviceCalibrator& calibrator;
    const executor::SensitivityStore& sensitivities;
    const graph::Catalog& catalog;
    std::string resourcesFolder;
};

/// The names that answerCall() takes, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> callNames();

/// Plugin::call of a started engine: gives the result as JSON. Error{InvalidInput} names an unknown
/// call or key; other errors are those of the call.
[[nodiscard]] std::string answerCall(const CallParts& parts,
                                     std::string_view name,
                                     std::string_view request,
                                     Watch* watch);

}  // namespace lowtide::module
