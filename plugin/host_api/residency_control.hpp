#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide {

/// What Runner::release does not tell apart. Plugin::extension(kResidencyControl) gives it once the
/// plugin was started. Any thread.
class ResidencyControl {
public:
    virtual ~ResidencyControl() = default;
    /// As Runner::release, and the files of the components that leave are closed too: their host
    /// memory goes back to the system, the next run opens and checks them anew. Failed while a run
    /// is at work.
    virtual Status unload(std::string_view component) noexcept = 0;
};

inline constexpr const char* kResidencyControl = "lowtide.residency_control/1";

}  // namespace lowtide
