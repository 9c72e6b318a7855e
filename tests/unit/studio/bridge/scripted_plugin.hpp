#pragma once

#include "plugin/host_api/calibrator.hpp"
#include "plugin/host_api/residency_control.hpp"
#include "tests/unit/studio/bridge/scripted_converter.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"

#include <mutex>

namespace lowtide::ui {

/// A module of a test: a scripted runner, the nodes that the test gives, and a control of its own.
class ScriptedPlugin final : public Plugin, public ResidencyControl, public Calibrator {
public:
    explicit ScriptedPlugin(std::vector<NodeDesc> nodes) : nodes_(std::move(nodes)) {}

    ScriptedRunner scripted;
    ScriptedConverter converter;
    bool hasControl = true;

    [[nodiscard]] std::vector<std::string> unloaded() const {
        const std::lock_guard lock(mutex_);
        return unloaded_;
    }

    std::string_view info() const noexcept override { return "{}"; }

    std::span<const NodeDesc> nodes() const noexcept override { return nodes_; }

    Status start(std::string_view, std::string&) noexcept override { return Status::Ok; }

    Runner* runner() noexcept override { return &scripted; }

    void* extension(std::string_view id) noexcept override {
        if (id == kCalibrator) {
            return static_cast<Calibrator*>(this);
        }
        if (id == kConverter) {
            return static_cast<Converter*>(&converter);
        }
        return hasControl && id == kResidencyControl ? static_cast<ResidencyControl*>(this)
                                                     : nullptr;
    }

    Status unload(std::string_view component) noexcept override {
        const std::lock_guard lock(mutex_);
        unloaded_.emplace_back(component);
        return Status::Ok;
    }

    /// What calibrate() answers.
    void setCalibration(Status status, std::string result) {
        const std::lock_guard lock(mutex_);
        calibration_ = status;
        calibrationText_ = std::move(result);
    }

    [[nodiscard]] std::vector<std::string> calibrations() const {
        const std::lock_guard lock(mutex_);
        return calibrations_;
    }

    Status calibrate(std::string_view options, std::string& result) noexcept override {
        const std::lock_guard lock(mutex_);
        calibrations_.emplace_back(options);
        result = calibrationText_;
        return calibration_;
    }

private:
    std::vector<NodeDesc> nodes_;
    mutable std::mutex mutex_;
    std::vector<std::string> unloaded_;
    std::vector<std::string> calibrations_;
    std::string calibrationText_ = R"({"issues": []})";
    Status calibration_ = Status::Ok;
};

}  // namespace lowtide::ui
