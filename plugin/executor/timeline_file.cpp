#include "plugin/executor/timeline_file.hpp"

#include "plugin/executor/failure.hpp"

#include <utility>

namespace lowtide::executor {

namespace {

constexpr size_t kLinesAtOnce = 1 << 16;  ///< bytes

}  // namespace

TimelineFile::TimelineFile(memory::Ledger& ledger, std::string path)
    : ledger_(ledger), file_(std::move(path)) {
    ledger_.listen([this](const memory::LedgerEvent& event) { add(event); });
}

TimelineFile::~TimelineFile() {
    ledger_.listen({});
}

/// After a fault nothing more is tried: the run does not depend on it.
void TimelineFile::add(const memory::LedgerEvent& event) {
    if (issue_) {
        return;
    }
    issue_ = attempt("", [&] {
        Json line = memory::toJson(event);
        line["repetition"] = repetition_;
        waiting_ += line.dump() + "\n";
        if (waiting_.size() >= kLinesAtOnce) {
            file_.write(std::exchange(waiting_, {}));
        }
    });
}

std::optional<Issue> TimelineFile::finish() {
    ledger_.listen({});
    if (!issue_) {
        issue_ = attempt("", [&] {
            file_.write(waiting_);
            file_.commit();
        });
    }
    if (issue_) {
        issue_->severity = Severity::Warning;
        issue_->item = "timeline";
    }
    return issue_;
}

}  // namespace lowtide::executor
