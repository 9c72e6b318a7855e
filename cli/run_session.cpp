#include "cli/run_session.hpp"

#include "cli/commands.hpp"
#include "cli/os.hpp"
#include "cli/progress_line.hpp"
#include "plugin/base/error.hpp"
#include "ui/loader/os.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace lowtide::cli {

namespace {

constexpr std::chrono::milliseconds kPatience{50};

/// Quotes inside of a JSON string have a backslash, so that no name can look like this.
constexpr std::string_view kMayBeMissed[] = {
    R"("event":"nodeProgress")", R"("event":"nodePreview")", R"("event":"memory")"};

bool mayBeMissed(std::string_view json) {
    return std::ranges::any_of(kMayBeMissed,
                               [&](std::string_view kind) { return json.find(kind) != json.npos; });
}

bool hasBudget(const std::string& graph, const Json& options) {
    return options.contains("memoryBudget") ||
           Json::parse(graph, nullptr, false).contains("memory_budget");
}

/// Shows events until the run has finished; Ctrl-C asks to stop now.
void follow(Runner& runner, RunId run, EventQueue& queue, bool eventLines) {
    ProgressLine line;
    bool asked = false;
    for (;;) {
        if (!asked && interruptCount() > 0) {
            asked = true;
            runner.cancel(run, CancelMode::Now);
        }
        const std::optional<std::string> text = queue.next(kPatience);
        if (!text) {
            continue;
        }
        const Json event = Json::parse(*text);
        if (eventLines) {
            std::printf("%s\n", text->c_str());
            std::fflush(stdout);
        } else {
            line.show(event);
        }
        if (event.value("event", std::string()) == "runFinished") {
            return;
        }
    }
}

}  // namespace

void EventQueue::event(std::string_view json) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (events_.size() >= kMostWaiting && mayBeMissed(json)) {
            ++missed_;
            return;
        }
        try {
            events_.emplace_back(json);
        } catch (const std::exception&) {
            ++missed_;
        }
    }
    arrived_.notify_one();
}

size_t EventQueue::missedCount() const {
    const std::lock_guard lock(mutex_);
    return missed_;
}

std::optional<std::string> EventQueue::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [this] { return !events_.empty(); })) {
        return std::nullopt;
    }
    std::string text = std::move(events_.front());
    events_.pop_front();
    return text;
}

void PrintedIssues::print(const Json& issues) {
    Json some = Json::array();
    for (const Json& issue : issues) {
        const bool isNew = printed_.insert(issue.dump()).second;
        if (isNew || issue.value("severity", std::string("error")) == "error") {
            some.push_back(issue);
        }
    }
    printIssues(some);
}

Answer runToEnd(Runner& runner,
                const std::string& graph,
                const Json& options,
                PrintedIssues& printed,
                bool eventLines) {
    if (hasBudget(graph, options)) {
        loader::returnBigBlocks();
    }
    EventQueue queue;
    RunId run = 0;
    std::string result;
    Status status = runner.start(graph, options.dump(), queue, run, result);
    if (status == Status::Ok) {
        printed.print(Json::parse(result).at("issues"));
        follow(runner, run, queue, eventLines);
        status = runner.wait(run, result);
        if (const size_t missed = queue.missedCount(); eventLines && missed > 0) {
            std::fprintf(stderr,
                         "lowtide: %zu events were left out: what reads them is slower than the "
                         "run\n",
                         missed);
        }
    }
    return {.status = status, .result = Json::parse(result)};
}

const Json& nodeEntry(const Json& report, const std::string& node) {
    const Json& nodes = report.at("repetitions").back().at("nodes");
    const auto found =
        std::ranges::find_if(nodes, [&](const Json& entry) { return entry.at("node") == node; });
    LOWTIDE_ASSERT(found != nodes.end());
    return *found;
}

}  // namespace lowtide::cli
