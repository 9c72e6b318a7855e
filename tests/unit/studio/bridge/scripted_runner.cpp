#include "tests/unit/studio/bridge/scripted_runner.hpp"

#include <algorithm>
#include <chrono>

namespace lowtide::ui {

namespace {

Json endsAtOnce(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"a"}}, {"repetitions", 1}});
    return {{"status", "ok"}, {"executed", 1}};
}

Status statusOf(const Json& report) {
    const std::string status = report.value("status", "ok");
    return status == "ok"          ? Status::Ok
           : status == "cancelled" ? Status::Cancelled
           : status == "invalid"   ? Status::Invalid
                                   : Status::Failed;
}

}  // namespace

ScriptedRunner::ScriptedRunner() = default;

ScriptedRunner::~ScriptedRunner() {
    stop();
}

void ScriptedRunner::setScript(const std::string& graph, Script script) {
    const std::lock_guard lock(mutex_);
    scripts_[graph] = std::move(script);
}

void ScriptedRunner::openGate() {
    const std::lock_guard lock(mutex_);
    isGateOpen_ = true;
    changed_.notify_all();
}

void ScriptedRunner::setRefusal(Json result) {
    const std::lock_guard lock(mutex_);
    refusal_ = std::move(result);
}

void ScriptedRunner::setAnswers(Json check, Json plan, Status planStatus, int milliseconds) {
    const std::lock_guard lock(mutex_);
    check_ = std::move(check);
    plan_ = std::move(plan);
    planStatus_ = planStatus;
    planMilliseconds_ = milliseconds;
}

void ScriptedRunner::setPlanWithin(Json plan) {
    const std::lock_guard lock(mutex_);
    planWithin_ = std::move(plan);
}

void ScriptedRunner::setMemory(Json ledger) {
    const std::lock_guard lock(mutex_);
    ledger_ = std::move(ledger);
}

void ScriptedRunner::setRelease(Status status, int milliseconds) {
    const std::lock_guard lock(mutex_);
    releaseStatus_ = status;
    releaseMilliseconds_ = milliseconds;
}

void ScriptedRunner::setDevices(Json devices, int milliseconds) {
    const std::lock_guard lock(mutex_);
    devices_ = std::move(devices);
    devicesMilliseconds_ = milliseconds;
}

std::vector<std::string> ScriptedRunner::startedGraphs() const {
    const std::lock_guard lock(mutex_);
    return started_;
}

std::vector<std::string> ScriptedRunner::plannedGraphs() const {
    const std::lock_guard lock(mutex_);
    return planned_;
}

std::vector<std::string> ScriptedRunner::askedGraphs() const {
    const std::lock_guard lock(mutex_);
    return asked_;
}

std::vector<std::string> ScriptedRunner::released() const {
    const std::lock_guard lock(mutex_);
    return released_;
}

std::string ScriptedRunner::lastBudget() const {
    const std::lock_guard lock(mutex_);
    return lastBudget_;
}

CancelMode ScriptedRunner::cancelModeOf(RunId run) const {
    const std::lock_guard lock(mutex_);
    const auto found = cancels_.find(run);
    return found == cancels_.end() ? CancelMode::No : found->second;
}

void ScriptedRunner::waitAtGate(RunId run) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return isGateOpen_ || cancels_.count(run) > 0; });
}

Status ScriptedRunner::check(std::string_view graph,
                             std::string_view,
                             std::string& result) noexcept {
    const std::lock_guard lock(mutex_);
    asked_.emplace_back(graph);
    result = check_.dump();
    const Json issues = check_.value("issues", Json::array());
    const bool isWrong = std::any_of(issues.begin(), issues.end(), [](const Json& issue) {
        return issue.value("severity", "error") == "error";
    });
    return isWrong ? Status::Invalid : Status::Ok;
}

Status ScriptedRunner::plan(std::string_view graph,
                            std::string_view options,
                            std::string& result) noexcept {
    int milliseconds = 0;
    {
        const std::lock_guard lock(mutex_);
        milliseconds = planMilliseconds_;
        planned_.emplace_back(graph);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    const std::lock_guard lock(mutex_);
    if (!planWithin_.is_null() && Json::parse(options).contains("memoryBudget")) {
        lastBudget_ = Json::parse(options)["memoryBudget"].get<std::string>();
        result = Json{{"issues", Json::array()}, {"plan", planWithin_}}.dump();
        return Status::Ok;
    }
    result = plan_.dump();
    return planStatus_;
}

Status ScriptedRunner::start(std::string_view graph,
                             std::string_view,
                             Observer& observer,
                             RunId& run,
                             std::string& result) noexcept {
    const std::lock_guard lock(mutex_);
    started_.emplace_back(graph);
    if (!refusal_.is_null()) {
        result = refusal_.dump();
        return Status::Invalid;
    }
    run = ++lastId_;
    result = R"({"issues": []})";
    const auto found = scripts_.find(std::string(graph));
    const Script script = found == scripts_.end() ? Script(endsAtOnce) : found->second;
    threads_.emplace_back([this, id = run, script, &observer] { play(id, script, observer); });
    return Status::Ok;
}

void ScriptedRunner::play(RunId id, const Script& script, Observer& observer) {
    mostAtOnce_ = std::max(mostAtOnce_.load(), ++runningNow_);
    Stage stage(*this, id, observer);
    Json report = script(stage);
    report["run"] = id;
    Json end = {{"event", "runFinished"}};
    for (const char* key : {"status", "executed", "issues"}) {
        end[key] = report.value(key, Json());
    }
    --runningNow_;
    if (!report.value("endIsLost", false)) {
        stage.send(std::move(end));
    }
    const std::lock_guard lock(mutex_);
    reports_[id] = std::move(report);
    changed_.notify_all();
}

Status ScriptedRunner::cancel(RunId run, CancelMode mode) noexcept {
    const std::lock_guard lock(mutex_);
    cancels_[run] = mode;
    changed_.notify_all();
    return reports_.count(run) > 0 ? Status::Invalid : Status::Ok;
}

Status ScriptedRunner::wait(RunId run, std::string& result) noexcept {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reports_.count(run) > 0; });
    result = reports_[run].dump();
    return statusOf(reports_[run]);
}

Status ScriptedRunner::memory(std::string& result) noexcept {
    ++memoryCalls_;
    const std::lock_guard lock(mutex_);
    result = ledger_.dump();
    return Status::Ok;
}

Status ScriptedRunner::release(std::string_view component) noexcept {
    std::unique_lock lock(mutex_);
    const int milliseconds = releaseMilliseconds_;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    lock.lock();
    released_.emplace_back(component);
    return releaseStatus_;
}

Status ScriptedRunner::devices(std::string& result) noexcept {
    std::unique_lock lock(mutex_);
    const int milliseconds = devicesMilliseconds_;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    lock.lock();
    result = devices_.dump();
    return Status::Ok;
}

Status ScriptedRunner::stop() noexcept {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(mutex_);
        isGateOpen_ = true;
        changed_.notify_all();
        threads.swap(threads_);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return Status::Ok;
}

}  // namespace lowtide::ui
