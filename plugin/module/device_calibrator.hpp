#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/executor/profile_store.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/tensor/cpu_paths.hpp"

#include <string>

namespace lowtide::residency {
class Residency;
}

namespace lowtide::module {

class ModuleRunner;

/// Speeds of this machine's devices: the engine gets those that were measured and stored, else
/// those that are stated for a GPU, calibrate() makes new ones.
class DeviceCalibrator {
public:
    /// `residency` and `runner` must outlive it. `cacheFolder` empty: nothing is found or stored.
    DeviceCalibrator(residency::Residency& residency,
                     ModuleRunner& runner,
                     std::string cacheFolder,
                     int threads);

    /// Measures a device and keeps the speeds for later plans; takes some seconds. As the call
    /// "calibrate" gives it (docs/calls.md). Error{InvalidInput} when the speeds cannot be kept,
    /// Error{Device} while a run is at work, Error{Cancelled} when the runner is stopped meanwhile.
    [[nodiscard]] Json calibrate(const memory::DeviceSpec& device);

private:
    void useKnown();
    [[nodiscard]] memory::ProfileKey keyOf(const memory::DeviceInfo& device,
                                           const std::string& numerics) const;
    /// Which operators the CPU shall run from the next start on: measured and stored.
    [[nodiscard]] tensor::CpuPaths chooseOperators() const;
    [[nodiscard]] Json measure(const memory::DeviceSpec& device);

    residency::Residency& residency_;
    ModuleRunner& runner_;
    std::string cacheFolder_;
    int threads_;
    executor::ProfileStore store_;
};

}  // namespace lowtide::module
