#include "service/run_queue.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/issues.hpp"
#include "service/access.hpp"

#include <algorithm>

namespace lowtide::service {

namespace {

RunState stateOf(Status status) {
    return status == Status::Ok          ? RunState::Finished
           : status == Status::Invalid   ? RunState::Refused
           : status == Status::Cancelled ? RunState::Cancelled
                                         : RunState::Failed;
}

/// What is kept of a report for as long as the run is.
Json resultOf(const Json& report) {
    Json result = Json::object();
    for (const char* key : {"status", "ms", "executed", "issues", "files"}) {
        if (report.contains(key)) {
            result[key] = report.at(key);
        }
    }
    return result;
}

}  // namespace

/// Hands on what a run reports, until it has ended.
class RunQueue::Follower final : public RunFollower {
public:
    Follower(RunQueue& queue, const StoredRun& run) : queue_(queue), run_(run) {}

    void accepted(const Json& /*issues*/) override {}

    void event(const std::string& text, const Json& event) override {
        Json named = event;
        named["run"] = run_.id;
        nameFiles(named);
        if (event.value("event", std::string()) == "nodePreview") {
            previews_[event.value("node", std::string())] = named;
        }
        if (!mayBeMissed(text)) {
            queue_.keepEvent(run_.id, named);
        }
        queue_.notify([&](RunListener& listener) { listener.event(run_, named); });
    }

    bool takesImages() const override { return true; }

    void image(const std::string& node, const Image8& image) override {
        if (const auto preview = previews_.find(node); preview != previews_.end()) {
            queue_.notify(
                [&](RunListener& listener) { listener.image(run_, preview->second, image); });
        }
    }

    CancelMode cancelMode() override { return queue_.cancel_; }

private:
    /// From the folder of what runs write: where that lies is no client's concern.
    void nameFiles(Json& event) const {
        const std::string folder = run_.options.value("out", std::string()) + "/";
        if (!event.contains("files")) {
            return;
        }
        for (Json& file : event["files"]) {
            if (const auto path = file.get<std::string>(); path.starts_with(folder)) {
                file = path.substr(folder.size());
            }
        }
    }

    RunQueue& queue_;
    const StoredRun& run_;
    std::map<std::string, Json> previews_;  ///< the last one of each node
};

RunQueue::RunQueue(Runner& runner, std::unique_ptr<RunStore> store)
    : runner_(runner), store_(std::move(store)), thread_([this] { work(); }) {}

RunQueue::~RunQueue() {
    stop();
}

StoredRun RunQueue::add(AskedRun asked) {
    StoredRun run{.id = asked.id.empty() ? newRunId() : std::move(asked.id),
                  .graph = std::move(asked.graph),
                  .options = std::move(asked.options),
                  .asked = std::move(asked.asked),
                  .created = nowMilliseconds()};
    {
        const std::lock_guard lock(mutex_);
        if (store_->find(run.id)) {
            throw Error(ErrorKind::InvalidInput,
                        message("there is a run {} already", quotedName(run.id)),
                        message("give another id, or none"));
        }
        if (store_->remaining() >= kMostWaiting) {
            throw Error(ErrorKind::InvalidInput,
                        message("{} runs wait already", kMostWaiting),
                        message("cancel some, or ask again later"));
        }
        run.number = asked.number ? *asked.number : ++lastNumber_ * (asked.isFirst ? -1 : 1);
        store_->put(run);
    }
    changed_.notify_one();
    reportRemaining();
    return run;
}

bool RunQueue::cancel(const std::string& id, CancelMode mode) {
    StoredRun run;
    {
        const std::lock_guard lock(mutex_);
        if (id == running_ && !id.empty()) {
            cancel_ = std::max(mode, cancel_.load());
            return true;
        }
        const std::optional<StoredRun> known = store_->find(id);
        if (!known || known->state != RunState::Waiting) {
            return false;
        }
        run = *known;
        run.state = RunState::Cancelled;
        run.ended = nowMilliseconds();
        run.result = {{"status", "cancelled"}, {"issues", Json::array()}};
        store_->update(run);
    }
    const Json event = {{"event", "runFinished"}, {"run", id}, {"status", "cancelled"}};
    notify([&](RunListener& listener) { listener.event(run, event); });
    reportRemaining();
    notify([&](RunListener& listener) { listener.settled(run); });
    return true;
}

bool RunQueue::remove(const std::string& id) {
    {
        const std::lock_guard lock(mutex_);
        const std::optional<StoredRun> known = store_->find(id);
        if (!known || known->state == RunState::Running) {
            return false;
        }
        store_->remove(id);
        std::erase_if(records_, [&](const Record& record) { return record.id == id; });
    }
    reportRemaining();
    return true;
}

std::optional<StoredRun> RunQueue::find(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    return store_->find(id);
}

std::vector<StoredRun> RunQueue::list() const {
    const std::lock_guard lock(mutex_);
    return store_->list();
}

size_t RunQueue::remaining() const {
    const std::lock_guard lock(mutex_);
    return store_->remaining();
}

std::optional<StoredRun> RunQueue::running() const {
    const std::lock_guard lock(mutex_);
    return running_.empty() ? std::nullopt : store_->find(running_);
}

std::vector<Json> RunQueue::events(const std::string& id, size_t first) const {
    const std::lock_guard lock(mutex_);
    const auto record = std::ranges::find(records_, id, &Record::id);
    if (record == records_.end() || first >= record->events.size()) {
        return {};
    }
    return {record->events.begin() + static_cast<std::ptrdiff_t>(first), record->events.end()};
}

Json RunQueue::report(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto record = std::ranges::find(records_, id, &Record::id);
    return record == records_.end() ? Json() : record->report;
}

void RunQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        isStopping_ = true;
        cancel_ = CancelMode::Now;
    }
    changed_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void RunQueue::work() {
    for (;;) {
        std::optional<StoredRun> next;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return isStopping_ || (next = store_->takeNext()); });
            if (isStopping_) {
                return;
            }
            cancel_ = CancelMode::No;
            running_ = next->id;
            next->started = nowMilliseconds();
            store_->update(*next);
            records_.push_back({.id = next->id, .events = {}, .report = {}});
            if (records_.size() > kMostReports) {
                records_.pop_front();
            }
        }
        runOne(std::move(*next));
    }
}

/// Whatever happens to it, the next one runs.
void RunQueue::runOne(StoredRun run) {
    reportRemaining();
    notify([&](RunListener& listener) { listener.started(run); });
    Answer answer;
    try {
        Follower follower(*this, run);
        answer = runToEnd(runner_, run.graph, run.options, follower);
    } catch (const std::exception& error) {
        log(Level::Error,
            std::string("run ") + run.id + " ended without its report: " + error.what());
        answer = {.status = Status::Failed,
                  .result = {{"issues",
                              graph::toJson(Issues{
                                  {.code = "internal_error", .message = Message(error.what())}})}}};
    }
    finish(std::move(run), std::move(answer));
}

void RunQueue::finish(StoredRun run, Answer answer) {
    run.state = stateOf(answer.status);
    run.ended = nowMilliseconds();
    run.result = resultOf(answer.result);
    const bool isReported = answer.result.contains("repetitions");
    if (!answer.result.contains("status")) {  // refused before it began: no event reported that
        run.result["status"] = answer.status == Status::Invalid ? "invalid" : "failed";
        Json event = run.result;
        event["event"] = "runFinished";
        event["run"] = run.id;
        keepEvent(run.id, event);
        notify([&](RunListener& listener) { listener.event(run, event); });
    }
    notify([&](RunListener& listener) { listener.ended(run, run.result); });
    {
        const std::lock_guard lock(mutex_);
        running_.clear();
        store_->update(run);
        const auto record = std::ranges::find(records_, run.id, &Record::id);
        if (isReported && record != records_.end()) {
            record->report = std::move(answer.result);
        }
    }
    reportRemaining();
    notify([&](RunListener& listener) { listener.settled(run); });
}

void RunQueue::keepEvent(const std::string& id, Json& event) {
    const std::lock_guard lock(mutex_);
    const auto record = std::ranges::find(records_, id, &Record::id);
    if (record != records_.end() && record->events.size() < kMostEvents) {
        event["number"] = record->events.size();
        record->events.push_back(event);
    }
}

void RunQueue::reportRemaining() {
    const size_t count = remaining();
    notify([&](RunListener& listener) { listener.queueChanged(count); });
}

void RunQueue::notify(const std::function<void(RunListener&)>& call) const {
    for (RunListener* listener : listeners_) {
        try {
            call(*listener);
        } catch (const std::exception& error) {
            log(Level::Error, std::string("a client was not notified: ") + error.what());
        }
    }
}

std::string newRunId() {
    std::string id = newToken().substr(0, 32);
    for (const size_t at : {8, 13, 18, 23}) {
        id.insert(at, "-");
    }
    return id;
}

int64_t nowMilliseconds() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace lowtide::service
