#include "plugin/executor/timeline_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/failure.hpp"

#include <utility>

namespace lowtide::executor {

namespace {

constexpr size_t kLinesAtOnce = 1 << 16;           ///< bytes
constexpr size_t kMostWaiting = size_t{64} << 20;  ///< bytes; a disk that is further behind is lost

}  // namespace

TimelineFile::TimelineFile(memory::Ledger& ledger, std::string path)
    : ledger_(ledger), file_(std::move(path)), thread_([this] { write(); }) {
    ledger_.listen([this](const memory::LedgerEvent& event) { add(event); });
}

TimelineFile::~TimelineFile() {
    end();
}

/// Under the ledger's lock, which a host takes to show the ledger: nothing here waits for a disk.
/// After a fault nothing more is tried: the run does not depend on it.
void TimelineFile::add(const memory::LedgerEvent& event) {
    const std::lock_guard lock(mutex_);
    if (issue_) {
        return;
    }
    issue_ = attempt("", [&] {
        Json line = memory::toJson(event);
        line["repetition"] = repetition_;
        waiting_ += line.dump() + "\n";
        if (waiting_.size() > kMostWaiting) {
            waiting_ = {};
            throw Error(ErrorKind::Device,
                        "the disk of the time line is slower than the run",
                        "choose a folder on another disk");
        }
    });
    if (waiting_.size() >= kLinesAtOnce) {
        changed_.notify_one();
    }
}

void TimelineFile::write() {
    std::unique_lock lock(mutex_);
    while (!isEnding_ || !waiting_.empty()) {
        changed_.wait(lock, [&] { return isEnding_ || waiting_.size() >= kLinesAtOnce; });
        const std::string lines = std::exchange(waiting_, {});
        lock.unlock();
        std::optional<Issue> issue = attempt("", [&] { file_.write(lines); });
        lock.lock();
        issue_ = issue_ ? issue_ : std::move(issue);
    }
}

void TimelineFile::end() {
    ledger_.listen({});
    {
        const std::lock_guard lock(mutex_);
        isEnding_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::optional<Issue> TimelineFile::finish() {
    end();
    if (!issue_) {
        issue_ = attempt("", [&] { file_.commit(); });
    }
    if (issue_) {
        issue_->severity = Severity::Warning;
        issue_->item = "timeline";
    }
    return issue_;
}

}  // namespace lowtide::executor
