#include "service/followed_run.hpp"

#include "ui/loader/os.hpp"

#include <algorithm>
#include <exception>

namespace lowtide::service {

namespace {

constexpr std::chrono::milliseconds kPatience{50};

/// Quotes inside of a JSON string have a backslash, so that no name can look like this.
constexpr std::string_view kMayBeMissed[] = {
    R"("event":"nodeProgress")", R"("event":"nodePreview")", R"("event":"memory")"};

bool hasBudget(const std::string& graph, const Json& options) {
    return options.contains("memoryBudget") ||
           Json::parse(graph, nullptr, false).contains("memory_budget");
}

bool isLast(const Json& event) {
    return event.value("event", std::string()) == "runFinished";
}

/// `hasEnded`: the last event has arrived, and the module calls the queue no more.
void follow(Runner& runner, RunId run, EventQueue& queue, RunFollower& follower, bool& hasEnded) {
    CancelMode asked = CancelMode::No;
    while (!hasEnded) {
        if (const CancelMode mode = follower.cancelMode(); mode > asked) {
            asked = mode;
            runner.cancel(run, mode);
        }
        const std::optional<RunNews> news = queue.next(kPatience);
        if (!news) {
            continue;
        }
        if (news->event.empty()) {
            follower.image(news->node, news->image);
            continue;
        }
        const Json event = Json::parse(news->event);
        hasEnded = isLast(event);
        follower.event(news->event, event);
    }
}

/// The module calls the queue until a run has ended, also where its follower failed.
void followSafely(Runner& runner,
                  RunId run,
                  EventQueue& queue,
                  RunFollower& follower,
                  const std::string& accepted) {
    bool hasEnded = false;
    try {
        follower.accepted(Json::parse(accepted).at("issues"));
        follow(runner, run, queue, follower, hasEnded);
    } catch (...) {
        runner.cancel(run, CancelMode::Now);
        while (!hasEnded) {
            const std::optional<RunNews> news = queue.next(kPatience);
            hasEnded = news && isLast(Json::parse(news->event, nullptr, false));
        }
        throw;
    }
}

}  // namespace

Answer answerOf(const std::function<Status(std::string&)>& ask) {
    std::string result;
    const Status status = ask(result);
    return {.status = status, .result = Json::parse(result)};
}

Answer call(Plugin& plugin, const char* name, const Json& request, Watch* watch) {
    return answerOf(
        [&](std::string& result) { return plugin.call(name, request.dump(), watch, result); });
}

bool mayBeMissed(std::string_view event) {
    return std::ranges::any_of(
        kMayBeMissed, [&](std::string_view kind) { return event.find(kind) != event.npos; });
}

void EventQueue::event(std::string_view json) noexcept {
    try {
        put({.event = std::string(json)});
    } catch (const std::exception&) {
        const std::lock_guard lock(mutex_);
        ++missed_;
    }
}

void EventQueue::preview(RunId, std::string_view node, const Image8& image) noexcept {
    if (!takesImages_) {
        return;
    }
    try {
        put({.event = {}, .node = std::string(node), .image = image});
    } catch (const std::exception&) {
        const std::lock_guard lock(mutex_);
        ++missed_;
    }
}

void EventQueue::put(RunNews news) noexcept {
    const bool isImage = news.event.empty();
    const std::lock_guard lock(mutex_);
    if (isImage ? imageCount_ >= kMostImages
                : waiting_.size() >= kMostWaiting && mayBeMissed(news.event)) {
        ++missed_;
        return;
    }
    try {
        waiting_.push_back(std::move(news));
        imageCount_ += isImage ? 1 : 0;
    } catch (const std::exception&) {
        ++missed_;
    }
    arrived_.notify_one();  // under the lock: who takes the last event may end the queue
}

size_t EventQueue::missedCount() const {
    const std::lock_guard lock(mutex_);
    return missed_;
}

std::optional<RunNews> EventQueue::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [this] { return !waiting_.empty(); })) {
        return std::nullopt;
    }
    RunNews news = std::move(waiting_.front());
    waiting_.pop_front();
    imageCount_ -= news.event.empty() ? 1 : 0;
    return news;
}

Answer runToEnd(Runner& runner,
                const std::string& graph,
                const Json& options,
                RunFollower& follower) {
    if (hasBudget(graph, options)) {
        loader::returnBigBlocks();
    }
    EventQueue queue(follower.takesImages());
    RunId run = 0;
    std::string result;
    Status status = runner.start(graph, options.dump(), queue, run, result);
    if (status == Status::Ok) {
        followSafely(runner, run, queue, follower, result);
        status = runner.wait(run, result);
        if (const size_t missed = queue.missedCount(); missed > 0) {
            follower.missed(missed);
        }
    }
    return {.status = status, .result = Json::parse(result)};
}

}  // namespace lowtide::service
