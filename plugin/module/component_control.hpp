#pragma once

#include "plugin/host_api/residency_control.hpp"
#include "plugin/module/runner.hpp"

namespace lowtide::module {

/// Makes components leave their devices with their files closed, on the run thread between runs.
class ComponentControl final : public ResidencyControl {
public:
    /// Both must outlive it.
    ComponentControl(memory::Engine& engine, ModuleRunner& runner)
        : engine_(engine), runner_(runner) {}

    Status unload(std::string_view component) noexcept override;

private:
    memory::Engine& engine_;
    ModuleRunner& runner_;
};

}  // namespace lowtide::module
