#include "plugin/executor/repetition.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/node_context.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/wires.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace lowtide::executor {

void PeakTracker::absorb() {
    for (const auto& [device, now] : ledger_.snapshot()) {
        memory::DeviceLedger& highest = highest_[device];
        highest.peak = std::max(highest.peak, now.peak);
        for (size_t tag = 0; tag < memory::kTagCount; ++tag) {
            highest.peakByTag[tag] = std::max(highest.peakByTag[tag], now.peakByTag[tag]);
        }
    }
}

void PeakTracker::beginNode() {
    absorb();
    ledger_.resetPeaks();
}

Bytes PeakTracker::endNode(std::string_view device) {
    absorb();
    return ledger_.peakOn(device);
}

std::map<std::string, memory::DeviceLedger, std::less<>> PeakTracker::snapshot() {
    absorb();
    auto devices = ledger_.snapshot();
    for (auto& [device, now] : devices) {
        now.peak = highest_[device].peak;
        now.peakByTag = highest_[device].peakByTag;
    }
    return devices;
}

namespace {

double millisecondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

memory::Outcome outcomeOf(const std::optional<Issue>& issue) {
    return !issue             ? memory::Outcome::Finished
           : isCancel(*issue) ? memory::Outcome::Cancelled
                              : memory::Outcome::Failed;
}

/// A run on the devices: begun in the constructor, ended in the destructor whatever happened
/// between.
class DeviceScope {
public:
    DeviceScope(memory::Engine& engine,
                std::shared_ptr<const memory::Plan> plan,
                const StopToken& stop)
        : engine_(engine) {
        engine_.ledger().beginRun();
        engine_.begin(std::move(plan), stop);
        engine_.ledger().resetPeaks();  // what an earlier run kept may have left just now
    }

    ~DeviceScope() { engine_.end(outcome_); }

    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

    void setOutcome(memory::Outcome outcome) { outcome_ = outcome; }

private:
    memory::Engine& engine_;
    memory::Outcome outcome_ = memory::Outcome::Failed;
};

/// One node's part of it: left when it was entered.
class StageScope {
public:
    StageScope(memory::Engine& engine, memory::NodeIndex node) : engine_(engine), node_(node) {
        engine_.enter(node_);
    }

    ~StageScope() { engine_.leave(node_); }

    StageScope(const StageScope&) = delete;
    StageScope& operator=(const StageScope&) = delete;

private:
    memory::Engine& engine_;
    memory::NodeIndex node_;
};

}  // namespace

Repetition::Repetition(const RunSetting& setting, int number, RunReport& report)
    : setting_(setting), number_(number), report_(report), peaks_(setting.engine.ledger()) {}

std::optional<Issue> Repetition::run() {
    const auto begin = std::chrono::steady_clock::now();
    report_.repetitions.emplace_back();
    std::optional<Issue> issue = attempt("", [&] { setting_.hooks.beforeRun(number_); });
    if (issue) {
        return issue;
    }
    const std::optional<Issue> thrown = attempt("", [&] { issue = evaluate(); });
    issue = issue ? issue : thrown;
    selection_.kept.clear();
    const std::optional<Issue> hookIssue =
        attempt("", [&] { setting_.hooks.afterRun(outcomeOf(issue)); });
    RepetitionReport& own = report_.repetitions.back();
    own.ledger = peaks_.snapshot();
    own.milliseconds = millisecondsSince(begin);
    return issue ? issue : hookIssue;
}

std::optional<Issue> Repetition::evaluate() {
    select();
    reportCached(selection_);
    const std::vector<size_t> order = selection_.order();
    return order.empty() ? std::nullopt : runPlanned(order);
}

/// A folder that takes no files is reported before hours of work, not after them. Nodes that write
/// begin the names of their files with the parameter `prefix`.
std::optional<Issue> Repetition::checkOutputs(const std::vector<size_t>& order) const {
    for (const size_t position : order) {
        const graph::SnapshotNode& node = setting_.snapshot.nodes[position];
        const auto prefix = node.params.find("prefix");
        const auto* name =
            prefix == node.params.end() ? nullptr : std::get_if<std::string>(&prefix->second);
        if (!node.desc->sideEffect || !name) {
            continue;
        }
        const std::string path = setting_.options.outputFolder + "/" + *name + "_";
        std::optional<Issue> issue = attempt(node.id, [&] {
            files::makeFolders(files::folderOf(path));
            const files::OutputFile probe(path);
        });
        if (issue) {
            issue->hint = message("choose another output folder (--out, or Settings)");
            return issue;
        }
    }
    return std::nullopt;
}

/// What is kept in memory or, where a node asks for it, in the stores of kept values does not
/// execute.
void Repetition::select() {
    FindKept find;
    if (!setting_.options.forceExecution && setting_.options.repeat == 1) {
        find = [this, inCache = keptIn(setting_.cache, setting_.resultKeys)](
                   size_t node, const std::set<std::string>& outputs) {
            auto kept = inCache(node, outputs);
            return kept ? kept : setting_.kept.find(node, outputs);
        };
    }
    selection_ = selectWork(setting_.snapshot, find);
    reportKept();
}

/// What earlier runs left goes before this one is refused: host copies of weights, results, pinned
/// ones last, and then components.
std::variant<memory::Plan, Issue> Repetition::decide(memory::PlanRequest& request) {
    enum class Step : uint8_t { HostCopies, Results, Pinned, Components };
    for (const Step step : {Step::HostCopies, Step::Results, Step::Pinned, Step::Components}) {
        auto planned = decidePlan(request);
        const auto* plan = std::get_if<memory::Plan>(&planned);
        if (!plan || (!plan->dropsHeld && plan->leaving.empty() && plan->unpinned.empty())) {
            return planned;
        }
        if (step == Step::HostCopies) {
            for (const memory::PinnedComponent& pinned : plan->unpinned) {
                setting_.engine.unpin(pinned);
            }
        } else if (step == Step::Components) {
            release(plan->leaving);
        } else if (plan->dropsHeld && step == Step::Pinned) {
            setting_.cache.clear();
        } else if (plan->dropsHeld) {
            setting_.cache.dropDead({});
        }
        renewHeld(request, basis());
    }
    return decidePlan(request);
}

/// Whoever keeps weights should know that they have to come again.
void Repetition::release(const std::vector<memory::KeptComponent>& leaving) {
    for (const memory::KeptComponent& kept : leaving) {
        const Bytes bytes = setting_.engine.release(kept.tree);
        addIssue(
            {.severity = Severity::Warning,
             .code = "kept_released",
             .message = message(
                 "{} of {}, kept by an earlier run, left {}: this run does not fit next to them",
                 formatBytes(bytes),
                 kept.role,
                 kept.device),
             .hint =
                 message("give the run a larger budget, or keep fewer components (after=keep)")});
    }
}

PlanBasis Repetition::basis() const {
    return {setting_.engine, setting_.cache, setting_.paces, setting_.dryRuns, setting_.stop};
}

std::optional<Issue> Repetition::runPlanned(const std::vector<size_t>& order) {
    auto request = requestPlan(
        setting_.snapshot, setting_.graphSpec, order, setting_.devices, setting_.options, basis());
    if (const auto* refusal = std::get_if<Issue>(&request)) {
        return *refusal;
    }
    settlePrecisions(report_.precisions,
                     setting_.snapshot,
                     setting_.graphSpec,
                     order,
                     std::get<memory::PlanRequest>(request));
    auto planned = decide(std::get<memory::PlanRequest>(request));
    if (const auto* refusal = std::get_if<Issue>(&planned)) {
        return *refusal;
    }
    if (std::optional<Issue> unwritable = number_ == 1 ? checkOutputs(order) : std::nullopt) {
        return unwritable;
    }
    devices_ = nodeDevices(setting_.snapshot,
                           order,
                           std::get<memory::PlanRequest>(request).nodes,
                           setting_.devices.main);
    recovery_.emplace(
        std::get<memory::PlanRequest>(std::move(request)), setting_.engine, setting_.cache);
    report_.plan = std::make_shared<const memory::Plan>(std::get<memory::Plan>(std::move(planned)));
    std::optional<Issue> issue;
    const std::optional<Issue> beginIssue = attempt("", [&] {
        DeviceScope scope(setting_.engine, report_.plan, setting_.stop);
        Wires wires(setting_.snapshot,
                    selection_,
                    setting_.resultKeys,
                    setting_.deviceIds,
                    setting_.engine.ledger(),
                    setting_.cache);
        selection_.kept.clear();  // the wires hold what they need
        issue = runNodes(order, wires);
        // A value that cannot be brought to the host is lost, which costs time and nothing else.
        static_cast<void>(attempt("", [&] { wires.finishEarly(); }));
        scope.setOutcome(outcomeOf(issue));
    });
    report_.repetitions.back().traffic = setting_.engine.traffic();
    if (!issue && !beginIssue) {
        setting_.paces.learn(recovery_->request(), *report_.plan, setting_.engine.traffic());
    }
    const std::optional<Issue> ofAccounting = attempt("", [&] { requireConsistentAccounting(); });
    return issue ? issue : beginIssue ? beginIssue : ofAccounting;
}

std::optional<Issue> Repetition::runNodes(const std::vector<size_t>& order, Wires& wires) {
    for (memory::NodeIndex index = 0; index < order.size(); ++index) {
        std::optional<Issue> issue = runNode(index, order[index], wires);
        while (issue && issue->code == codeOf(ErrorKind::OutOfMemory) && !isHandingOver_) {
            if (std::optional<Issue> last = recover(index, std::move(*issue))) {
                return last;
            }
            issue = runNode(index, order[index], wires);
        }
        if (issue) {
            return issue;
        }
    }
    return std::nullopt;
}

/// One rung further down, reported as a warning; the issue itself when there is none. The node runs
/// again from its inputs: noise is made from the seed, so the bits are the same.
std::optional<Issue> Repetition::recover(memory::NodeIndex index, Issue issue) {
    std::optional<Message> done;
    const std::optional<Issue> failure =
        attempt(issue.node, [&] { done = recovery_->next(index); });
    if (failure || !done) {
        return failure ? *failure : issue;
    }
    if (recovery_->plan()) {
        report_.plan = recovery_->plan();
    }
    addIssue({.severity = Severity::Warning,
              .code = "out_of_memory_retry",
              .node = issue.node,
              .item = "memory",
              .message = message("node {} ran out of memory ({}); {}, and it runs again",
                                 issue.node,
                                 issue.message,
                                 *done),
              .hint = message("give the run a larger budget, or the node a tighter policy")});
    return std::nullopt;
}

std::optional<Issue> Repetition::runNode(memory::NodeIndex index, size_t position, Wires& wires) {
    const graph::SnapshotNode& node = setting_.snapshot.nodes[position];
    RunControls controls(
        setting_.engine, setting_.collections, node, devices_[position], report_.controls);
    NodeContext context(setting_.snapshot,
                        node,
                        wires,
                        setting_.options,
                        setting_.stop,
                        setting_.events,
                        controls,
                        setting_.graphSpec.precisionText);
    double milliseconds = 0;
    std::vector<size_t> usedUp;
    isHandingOver_ = false;
    std::optional<Issue> issue = attempt(node.id, [&] {
        setting_.stop.throwIfStopped();
        peaks_.beginNode();
        setting_.hooks.beforeNode(node.id);
        setting_.events.event(NodeStarted{node.id, number_});
        report_.began = true;
        const auto begin = std::chrono::steady_clock::now();
        {
            const StageScope stage(setting_.engine, index);
            setting_.types.of(*node.desc).run(context);
            setting_.engine.confirm(index);
            context.requireOutputs();
        }
        milliseconds = millisecondsSince(begin);
        isHandingOver_ = true;
        keepValue(position, context.outputs);
        usedUp = wires.finish(position, std::move(context.outputs), context.files);
        setting_.hooks.afterNode(node.id, milliseconds);
        requireConsistentAccounting();
    });
    if (issue) {
        const std::optional<Issue> lost =
            attempt(node.id, [&] { setting_.engine.requireDevices(); });
        issue = lost ? lost : issue;
    }
    report_.issues.insert(report_.issues.end(), context.issues.begin(), context.issues.end());
    reportFiles(node.id, context.files);
    const Bytes peak = peaks_.endNode(devices_[position].id());
    if (!issue) {
        report_.repetitions.back().nodes.push_back({node.id,
                                                    node.desc->id,
                                                    devices_[position].id(),
                                                    milliseconds,
                                                    peak,
                                                    std::move(context.facts)});
        setting_.events.event(
            NodeFinished{node.id, number_, milliseconds, peak, std::move(context.files)});
        collectAfter(position, usedUp);
    }
    return issue;
}

/// Wrong accounting ends the run: what it guarantees about memory would not be true.
void Repetition::requireConsistentAccounting() const {
    const Message fault = setting_.engine.ledger().takeFault();
    if (!fault.empty()) {
        throw Error(ErrorKind::Internal,
                    fault,
                    message("this is a bug of the program; please report it with the graph"));
    }
}

/// A keeping node has its value kept before the wires let it go.
void Repetition::keepValue(size_t position, const Wires::Outputs& outputs) {
    if (setting_.graphSpec.work[position].keep) {
        setting_.kept.keep(position, outputs.begin()->second);
        reportKept();
    }
}

/// The automatic collection points of a stage, behind it: its dead wires are gone, and what they
/// were the last to use.
void Repetition::collectAfter(size_t position, const std::vector<size_t>& usedUp) {
    const auto typeAt = [&](size_t at) -> const NodeType& {
        return setting_.types.of(*setting_.snapshot.nodes[at].desc);
    };
    const NodeType& type = typeAt(position);
    collectAt(type.collectAfter, position);
    std::set<std::string> released;
    for (const size_t maker : usedUp) {
        released.insert(typeAt(maker).collectAtRelease);
    }
    released.erase(type.collectAtRelease);
    for (const std::string& point : released) {
        collectAt(point, position);
    }
}

/// One that fails is reported and costs nothing else.
void Repetition::collectAt(const std::string& point, size_t position) {
    if (point.empty()) {
        return;
    }
    const graph::SnapshotNode& node = setting_.snapshot.nodes[position];
    std::optional<Issue> issue = attempt(node.id, [&] {
        setting_.collections.at({.name = point, .node = node.id, .device = devices_[position]});
    });
    if (issue) {
        issue->severity = Severity::Warning;
        addIssue(std::move(*issue));
    }
}

void Repetition::reportKept() {
    for (Issue& issue : setting_.kept.takeIssues()) {
        addIssue(std::move(issue));
    }
    for (Json& entry : setting_.kept.takeReports()) {
        report_.controls.push_back(std::move(entry));
    }
}

void Repetition::addIssue(Issue issue) {
    setting_.events.event(NodeIssue{issue});
    report_.issues.push_back(std::move(issue));
}

void Repetition::reportCached(const Selection& selection) {
    for (size_t position = 0; position < selection.executes.size(); ++position) {
        if (selection.executes[position]) {
            continue;
        }
        const std::string& node = setting_.snapshot.nodes[position].id;
        const auto kept = selection.kept.find(position);
        const auto files =
            kept == selection.kept.end() ? std::vector<std::string>() : kept->second->files;
        report_.repetitions.back().cached.push_back(node);
        reportFiles(node, files);
        setting_.events.event(NodeCached{node, number_, files});
    }
}

void Repetition::reportFiles(const std::string& node, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        report_.files.push_back({node, file, number_});
    }
}

}  // namespace lowtide::executor
