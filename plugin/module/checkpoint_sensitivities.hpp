#pragma once
// What is measured of lossy choices: sensitivities of checkpoints, and curves of MagCache.

#include "plugin/executor/sensitivity_store.hpp"
#include "plugin/host_api/curve_maker.hpp"
#include "plugin/host_api/sensitivities.hpp"

#include <string>

namespace lowtide::module {

class ModuleRunner;

/// Sensitivities of this module's cache folder.
class CheckpointSensitivities final : public Sensitivities {
public:
    /// `runner` must outlive it. `cacheFolder` empty: nothing is found or kept.
    CheckpointSensitivities(const ModuleRunner& runner, std::string cacheFolder)
        : runner_(runner), store_(std::move(cacheFolder)) {}

    Status identify(std::string_view graph,
                    std::string_view options,
                    std::string_view node,
                    std::string& result) noexcept override;
    Status find(std::string_view weights, std::string& result) noexcept override;
    Status keep(std::string_view measured, std::string& result) noexcept override;

private:
    const ModuleRunner& runner_;
    executor::SensitivityStore store_;
};

/// Curves of MagCache.
class MagCurveMaker final : public CurveMaker {
public:
    Status makeCurve(std::string_view records, std::string& result) noexcept override;
};

}  // namespace lowtide::module
