#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"

#include <QtCore>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace lowtide::ui {

/// The conversions of a test's module: it answers what it was set to, and converts until its gate
/// is opened or it is cancelled; then a small file is there.
class ScriptedConverter {
public:
    /// f16 would be no smaller than the model of that path.
    static Json choicesOf(const std::string& path) {
        const auto choice = [](const char* storage, const char* ending, int64_t bytes) {
            return Json{{"storage", storage},
                        {"ending", ending},
                        {"bytes", bytes},
                        {"source_bytes", 5'000'000'000}};
        };
        return {{"path", path},
                {"choices",
                 {choice("f16", ".safetensors", 5'000'100'000),
                  choice("f8", ".safetensors", 3'100'000'000),
                  choice("int8", ".safetensors", 3'110'000'000),
                  choice("q8_0", ".gguf", 2'700'000'000),
                  choice("q4_k", ".gguf", 1'500'000'000)}}};
    }

    static Json refusal(const char* message, const char* hint) {
        return {{"issues", {{{"message", message}, {"hint", hint}}}}};
    }

    void setChoices(Status status, const Json& answer) {
        const std::lock_guard lock(mutex_);
        choicesStatus_ = status;
        choices_ = answer;
    }

    /// What "convert" answers instead of writing a file.
    void refuse(Status status, const Json& answer) {
        const std::lock_guard lock(mutex_);
        refusalStatus_ = status;
        refusal_ = answer;
    }

    void setGate(bool isOpen) {
        const std::lock_guard lock(mutex_);
        isOpen_ = isOpen;
        changed_.notify_all();
    }

    [[nodiscard]] std::vector<Json> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

    /// The calls "conversionChoices" and "convert".
    Status call(std::string_view name,
                std::string_view request,
                Watch* watch,
                std::string& result) {
        std::unique_lock lock(mutex_);
        requests_.push_back(Json::parse(request));
        if (name == "conversionChoices") {
            result = choices_.dump();
            return choicesStatus_;
        }
        const auto out = QString::fromStdString(requests_.back().at("out").get<std::string>());
        while (!isOpen_) {
            changed_.wait_for(lock, std::chrono::milliseconds(5));
            if (!watch->goesOn(1'000'000'000, 3'000'000'000)) {
                result = refusal("cancelled", "").dump();
                return Status::Cancelled;
            }
        }
        if (refusalStatus_ != Status::Ok) {
            result = refusal_.dump();
            return refusalStatus_;
        }
        QFile file(out);
        const bool isWritten = file.open(QIODevice::WriteOnly) && file.write("weights") > 0;
        result = Json{{"after", {{{"bytes", 2'000'000'000}}, {{"bytes", 1'000'000'000}}}},
                      {"rounded_tensors", 81},
                      {"mean_error", 0.02651}}
                     .dump();
        return isWritten ? Status::Ok : Status::Failed;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool isOpen_ = true;
    Status choicesStatus_ = Status::Ok;
    Json choices_;
    Status refusalStatus_ = Status::Ok;
    Json refusal_;
    std::vector<Json> requests_;
};

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
