#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

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

}  // namespace lowtide::ui
