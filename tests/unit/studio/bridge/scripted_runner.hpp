#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lowtide::ui {

/// A module of a test: each run is a script on a thread of its own, as the module's notifier is
/// one.
class ScriptedRunner final : public Runner {
public:
    /// What a script sees of its run.
    class Stage {
    public:
        Stage(ScriptedRunner& owner, RunId id, Observer& observer)
            : owner_(owner), id_(id), observer_(observer) {}

        void send(Json event) {
            event["run"] = id_;
            observer_.event(event.dump());
        }

        void show(const std::string& node, const Image8& image) {
            observer_.preview(id_, node, image);
        }

        [[nodiscard]] CancelMode cancelled() const { return owner_.cancelModeOf(id_); }

        /// Waits until somebody cancels the run, or opens the gate.
        void waitAtGate() { owner_.waitAtGate(id_); }

    private:
        ScriptedRunner& owner_;
        RunId id_;
        Observer& observer_;
    };

    /// Returns the fields of the end: status, executed, issues, and what the report has besides.
    /// With "endIsLost" nobody hears of the end but who waits for it.
    using Script = std::function<Json(Stage&)>;

    ScriptedRunner();
    ~ScriptedRunner() override;

    /// How runs go from now on, by their graph's text; those that nobody wrote end at once.
    void setScript(const std::string& graph, Script script);
    void openGate();
    /// start() answers so from now on; null: it accepts.
    void setRefusal(Json result);
    /// What check() and plan() answer, and how long they take.
    void setAnswers(Json check, Json plan, Status planStatus = Status::Ok, int milliseconds = 0);
    /// The plan for questions with a budget of their own; null: they are answered as the others.
    void setPlanWithin(Json plan);
    void setMemory(Json ledger);
    /// What release() answers, and how long it takes.
    void setRelease(Status status, int milliseconds = 0);
    /// The same of devices().
    void setDevices(Json devices, int milliseconds = 0);

    [[nodiscard]] std::vector<std::string> startedGraphs() const;
    /// That were checked.
    [[nodiscard]] std::vector<std::string> askedGraphs() const;
    [[nodiscard]] std::vector<std::string> plannedGraphs() const;

    [[nodiscard]] int memoryCalls() const { return memoryCalls_; }

    [[nodiscard]] std::vector<std::string> released() const;
    /// Of the last question for which setPlanWithin() had the answer.
    [[nodiscard]] std::string lastBudget() const;
    [[nodiscard]] CancelMode cancelModeOf(RunId run) const;

    [[nodiscard]] int runningNow() const { return runningNow_; }

    [[nodiscard]] int mostAtOnce() const { return mostAtOnce_; }

    Status check(std::string_view, std::string_view, std::string& result) noexcept override;
    Status plan(std::string_view, std::string_view, std::string& result) noexcept override;
    Status start(std::string_view graph,
                 std::string_view options,
                 Observer& observer,
                 RunId& run,
                 std::string& result) noexcept override;
    Status cancel(RunId run, CancelMode mode) noexcept override;
    Status wait(RunId run, std::string& result) noexcept override;
    Status memory(std::string& result) noexcept override;
    Status release(std::string_view component) noexcept override;
    Status devices(std::string& result) noexcept override;
    Status stop() noexcept override;

private:
    void play(RunId id, const Script& script, Observer& observer);
    void waitAtGate(RunId run);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Script> scripts_;
    std::map<RunId, CancelMode> cancels_;
    std::map<RunId, Json> reports_;
    std::vector<std::thread> threads_;
    std::vector<std::string> started_;
    std::vector<std::string> asked_;
    std::vector<std::string> planned_;
    std::vector<std::string> released_;
    Json refusal_;
    Json check_ = {{"issues", Json::array()}};
    Json plan_ = {{"issues", Json::array()}, {"plan", Json::object()}};
    Json planWithin_;
    std::string lastBudget_;
    Json ledger_ = Json::object();
    Json devices_ = Json::parse(R"({"devices": [{"id": "cpu", "kind": "cpu",
        "name": "a processor", "capacity": 17179869184, "free": 8589934592}]})");
    int devicesMilliseconds_ = 0;
    Status releaseStatus_ = Status::Ok;
    int releaseMilliseconds_ = 0;
    Status planStatus_ = Status::Ok;
    int planMilliseconds_ = 0;
    RunId lastId_ = 0;
    bool isGateOpen_ = false;
    std::atomic<int> memoryCalls_ = 0;
    std::atomic<int> runningNow_ = 0;
    std::atomic<int> mostAtOnce_ = 0;
};

}  // namespace lowtide::ui
