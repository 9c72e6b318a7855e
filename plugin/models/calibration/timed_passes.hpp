#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"

#include <functional>
#include <memory>
#include <string>

namespace lowtide::residency {
class Residency;
}

namespace lowtide::models {

/// A component that is alone in a run, under one policy.
struct SoloRun {
    memory::DeviceSpec device;
    std::shared_ptr<const memory::ComponentTree> tree;
    std::string policy;
};

/// Plans and begins the run, executes `pass` once to warm up and then `repeats` times, and ends it.
/// Returns a time that a quarter of them kept: other programs only ever add to it.
/// Error{OutOfMemory} when the component does not fit, and what `pass` throws. Run thread, no other
/// run at work.
[[nodiscard]] Seconds secondsOfPass(residency::Residency& residency,
                                    const SoloRun& solo,
                                    int repeats,
                                    const std::function<void()>& pass);

}  // namespace lowtide::models
