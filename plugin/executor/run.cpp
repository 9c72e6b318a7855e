#include "plugin/executor/run.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/issue.hpp"
#include "plugin/executor/graph_spec.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/repetition.hpp"
#include "plugin/executor/run_plan.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/memory/ledger.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace lowtide::executor {

/// Writes every event of a run to a file, one JSON object a line with its repetition, as long as it
/// lives: the report has a thinned line. Events come from any thread; the rest is for the run
/// thread.
class TimelineFile {
public:
    /// Error{InvalidInput} when the folder cannot be written. `ledger` must outlive it.
    TimelineFile(memory::Ledger& ledger, std::string path);
    ~TimelineFile();
    TimelineFile(const TimelineFile&) = delete;
    TimelineFile& operator=(const TimelineFile&) = delete;

    void beginRepetition(int number) {
        const std::lock_guard lock(mutex_);
        repetition_ = number;
    }

    /// Ends the file and gives it its name. A warning when it could not be written whole; then
    /// there is none.
    [[nodiscard]] std::optional<Issue> finish();

private:
    void add(const memory::LedgerEvent& event);
    void write();
    void end();

    memory::Ledger& ledger_;
    files::OutputFile file_;
    std::mutex mutex_;  ///< of all below
    std::condition_variable changed_;
    int repetition_ = 1;
    std::string waiting_;  ///< lines that are not written yet
    bool isEnding_ = false;
    std::optional<Issue> issue_;
    std::thread thread_;  ///< writes them; last: it begins when the rest is there
};

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
                        message("the disk of the time line is slower than the run"),
                        message("choose a folder on another disk"));
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

namespace {

/// Kinds of issues that are the graph's or the caller's, when they are found before anything
/// executed. A damaged file is one when a node names it.
bool isInvalid(const Issue& issue) {
    const std::array<std::string_view, 7> codes = {codeOf(ErrorKind::InvalidInput),
                                                   codeOf(ErrorKind::NotFound),
                                                   codeOf(ErrorKind::Unsupported),
                                                   kImageSizeCode,
                                                   graph::kPolicyComponentCode,
                                                   graph::kPrecisionComponentCode,
                                                   "memory_infeasible"};
    if (issue.code == codeOf(ErrorKind::Corrupt)) {
        return !issue.node.empty();
    }
    return std::find(codes.begin(), codes.end(), issue.code) != codes.end();
}

memory::CollectionSettings collectionSettings(const RunOptions& options,
                                              const graph::Snapshot& snapshot) {
    const memory::CollectionSettings standard;
    return {
        .threshold = options.collectionThreshold.value_or(
            snapshot.collectionThreshold.value_or(standard.threshold)),
        .lowMemory = options.lowMemory.value_or(snapshot.lowMemory.value_or(standard.lowMemory))};
}

Json rehearsals(const RunDevices& devices, const memory::Engine& engine) {
    Json found = Json::object();
    for (const memory::PlanDevice& device : devices.opened) {
        if (const auto counts = engine.rehearsal(device.spec)) {
            found[device.spec.id()] = memory::toJson(*counts);
        }
    }
    return found;
}

class Evaluation {
public:
    Evaluation(const graph::Snapshot& snapshot,
               const RunOptions& options,
               const StopToken& stop,
               RunHooks& hooks,
               EventSink& events,
               const RunServices& services,
               RunReport& report)
        : snapshot_(snapshot),
          options_(options),
          stop_(stop),
          hooks_(hooks),
          events_(events),
          services_(services),
          report_(report) {}

    std::optional<Issue> run() {
        warn(options_.warnings);
        std::optional<Issue> issue = attempt("", [&] { stop_.throwIfStoppedBetweenImages(); });
        if (issue) {
            return issue;
        }
        auto devices = openDevices(snapshot_, options_, services_.engine);
        if (const auto* refusal = std::get_if<Issue>(&devices)) {
            return *refusal;
        }
        const auto& opened = std::get<RunDevices>(devices);
        report_.devices = toJson(opened.infos);
        auto graphSpec = makeGraphSpec(snapshot_,
                                       services_.types,
                                       options_.graphFolder,
                                       options_.numerics,
                                       numericsTexts(opened),
                                       stop_);
        if (const auto* refusal = std::get_if<Issue>(&graphSpec)) {
            return *refusal;
        }
        report_.precisions = std::get<GraphSpec>(graphSpec).precisions;
        warn(std::get<GraphSpec>(graphSpec).marks);
        return repeat(opened, std::get<GraphSpec>(graphSpec));
    }

private:
    /// Of the marks what a user should know; what is lossy is reported by the precisions.
    void warn(const Issues& marks) {
        for (const Issue& mark : marks) {
            if (mark.severity == Severity::Warning) {
                events_.event(NodeIssue{mark});
                report_.issues.push_back(mark);
            }
        }
    }

    std::optional<Issue> repeat(const RunDevices& devices, const GraphSpec& graphSpec) {
        const std::vector<std::string> keys =
            resultKeys(snapshot_, graphSpec.keys, options_.outputFolder);
        memory::Ledger& ledger = services_.engine.ledger();
        Collections collections(services_.engine,
                                services_.cache,
                                services_.collections,
                                devices.infos,
                                collectionSettings(options_, snapshot_),
                                keys);
        KeptValues kept(snapshot_, graphSpec, services_.cache, services_.disk, ledger);
        const RunSetting setting{.snapshot = snapshot_,
                                 .options = options_,
                                 .graphSpec = graphSpec,
                                 .devices = devices,
                                 .resultKeys = keys,
                                 .deviceIds = devices.ids(),
                                 .types = services_.types,
                                 .engine = services_.engine,
                                 .cache = services_.cache,
                                 .collections = collections,
                                 .kept = kept,
                                 .paces = services_.paces,
                                 .dryRuns = services_.dryRuns,
                                 .hooks = hooks_,
                                 .events = events_,
                                 .stop = stop_};
        const std::optional<Issue> issue = repeatWritten(setting);
        if (report_.plan) {
            report_.timeline = ledger.timeline();
        }
        report_.collections = collections.report();
        report_.rehearsal = rehearsals(devices, services_.engine);
        return issue;
    }

    /// With the full time line in a file, where the options name one.
    std::optional<Issue> repeatWritten(const RunSetting& setting) {
        std::optional<TimelineFile> file;
        if (!options_.timelineFile.empty()) {
            std::optional<Issue> issue = attempt(
                "", [&] { file.emplace(services_.engine.ledger(), options_.timelineFile); });
            if (issue) {
                issue->item = "timeline";
                return issue;
            }
        }
        std::optional<Issue> issue;
        for (int number = 1; !issue && number <= options_.repeat; ++number) {
            if (file) {
                file->beginRepetition(number);
            }
            issue = attempt("", [&] { stop_.throwIfStoppedBetweenImages(); });
            issue = issue ? issue : Repetition(setting, number, report_).run();
        }
        if (const auto unwritten = file ? file->finish() : std::nullopt) {
            warn({*unwritten});
        }
        return issue;
    }

    const graph::Snapshot& snapshot_;
    const RunOptions& options_;
    const StopToken& stop_;
    RunHooks& hooks_;
    EventSink& events_;
    const RunServices& services_;
    RunReport& report_;
};

void conclude(RunReport& report, const Issue& issue, EventSink& events) {
    if (isCancel(issue)) {
        report.status = Status::Cancelled;
        return;
    }
    report.status = !report.began && isInvalid(issue) ? Status::Invalid : Status::Failed;
    report.issues.push_back(issue);
    if (!issue.node.empty()) {
        events.event(NodeFailed{issue});
    }
}

}  // namespace

RunReport evaluate(RunId run,
                   const graph::Snapshot& snapshot,
                   const RunOptions& options,
                   const StopToken& stop,
                   RunHooks& hooks,
                   EventSink& events,
                   const RunServices& services) {
    const auto begin = std::chrono::steady_clock::now();
    RunReport report;
    report.run = run;
    std::vector<std::string> nodes;
    for (const graph::SnapshotNode& node : snapshot.nodes) {
        nodes.push_back(node.id);
    }
    events.event(RunStarted{std::move(nodes), options.repeat});
    std::optional<Issue> issue;
    const std::optional<Issue> thrown = attempt("", [&] {
        issue = Evaluation(snapshot, options, stop, hooks, events, services, report).run();
    });
    issue = issue ? issue : thrown;
    if (issue) {
        conclude(report, *issue, events);
    }
    report.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    events.event(
        RunFinished{report.status, report.milliseconds, report.executedCount(), report.issues});
    return report;
}

}  // namespace lowtide::executor
