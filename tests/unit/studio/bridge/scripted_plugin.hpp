#pragma once

#include "tests/unit/studio/bridge/scripted_converter.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"

#include <mutex>

namespace lowtide::ui {

/// A module of a test: a scripted runner, the nodes that the test gives, and calls of its own.
class ScriptedPlugin final : public Plugin {
public:
    /// `calls`: those that it states it has.
    explicit ScriptedPlugin(std::vector<NodeDesc> nodes,
                            const std::vector<std::string>& calls = {"calibrate",
                                                                     "conversionChoices",
                                                                     "convert",
                                                                     "unload"})
        : nodes_(std::move(nodes)), info_(Json{{"calls", calls}}.dump()) {}

    ScriptedRunner scripted;
    ScriptedConverter converter;

    [[nodiscard]] std::vector<std::string> unloaded() const {
        const std::lock_guard lock(mutex_);
        return unloaded_;
    }

    std::string_view info() const noexcept override { return info_; }

    std::span<const NodeDesc> nodes() const noexcept override { return nodes_; }

    Status start(std::string_view, std::string&) noexcept override { return Status::Ok; }

    Runner* runner() noexcept override { return &scripted; }

    Status call(std::string_view name,
                std::string_view request,
                Watch* watch,
                std::string& result) noexcept override {
        if (name != "calibrate" && name != "unload") {
            return converter.call(name, request, watch, result);
        }
        const std::lock_guard lock(mutex_);
        if (name == "unload") {
            unloaded_.push_back(Json::parse(request).at("component").get<std::string>());
            return Status::Ok;
        }
        calibrations_.emplace_back(request);
        result = calibrationText_;
        return calibration_;
    }

    LogSource* log() noexcept override { return nullptr; }

    /// What "calibrate" answers.
    void setCalibration(Status status, std::string result) {
        const std::lock_guard lock(mutex_);
        calibration_ = status;
        calibrationText_ = std::move(result);
    }

    [[nodiscard]] std::vector<std::string> calibrations() const {
        const std::lock_guard lock(mutex_);
        return calibrations_;
    }

private:
    std::vector<NodeDesc> nodes_;
    std::string info_;
    mutable std::mutex mutex_;
    std::vector<std::string> unloaded_;
    std::vector<std::string> calibrations_;
    std::string calibrationText_ = R"({"issues": []})";
    Status calibration_ = Status::Ok;
};

}  // namespace lowtide::ui
