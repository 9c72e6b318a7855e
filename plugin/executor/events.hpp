#pragma once
// What hosts hear of a run: its events and, when it is over, its report (docs/events.md).

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/executor/node.hpp"
#include "plugin/host_api/runner.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/memory/ledger.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lowtide::executor {

/// What happens in a run, in the words of docs/events.md. `repetition` counts from 1.
struct RunStarted {
    std::vector<std::string> nodes;
    int repetitions = 1;
};

struct NodeCached {
    std::string node;
    int repetition = 1;
    std::vector<std::string> files;
};

struct NodeStarted {
    std::string node;
    int repetition = 1;
};

struct NodeProgress {
    std::string node;
    std::string phase;
    double done = 0;
    double total = 0;
    std::optional<Seconds> eta;  ///< empty before the first unit is done
};

struct NodePreview {
    std::string node;
    int widthPixels = 0;
    int heightPixels = 0;
    /// When it looked so; empty: it is the node's result.
    std::optional<PreviewStep> step{};
};

/// A node has something to report; the run goes on.
struct NodeIssue {
    Issue issue;
};

struct NodeFinished {
    std::string node;
    int repetition = 1;
    double milliseconds = 0;
    Bytes peakBytes = 0;
    std::vector<std::string> files;
};

struct NodeFailed {
    Issue issue;
};

struct RunFinished {
    Status status = Status::Ok;
    double milliseconds = 0;
    int64_t executed = 0;  ///< nodes, over all repetitions
    Issues issues;
};

struct MemoryUse {
    std::string device;
    std::map<std::string, memory::DeviceLedger, std::less<>> ledger;
};

using Event = std::variant<RunStarted,
                           NodeCached,
                           NodeStarted,
                           NodeProgress,
                           NodePreview,
                           NodeIssue,
                           NodeFinished,
                           NodeFailed,
                           RunFinished,
                           MemoryUse>;

/// {"event": "nodeStarted", "run": 1, "node": "denoise", ...}. Bytes that are not UTF-8 are
/// replaced, never an error.
[[nodiscard]] std::string toText(RunId run, const Event& event);
/// Whether a later event of its kind makes this one needless: a slow host may miss it.
[[nodiscard]] bool isPassing(const Event& event);
/// "ok", "invalid", "failed", "cancelled".
[[nodiscard]] std::string_view nameOf(Status status);

/// Where a run reports what happens. Never throws, never waits for the host.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void event(const Event& event) noexcept = 0;
    /// The event of an image, and behind it the image.
    virtual void preview(const NodePreview& event, const Image8& image) noexcept = 0;
};

struct NodeReport {
    std::string node;
    std::string type;
    std::string device;  ///< where it computed
    double milliseconds = 0;
    Bytes peakBytes = 0;          ///< there
    Json facts = Json::object();  ///< what it reported about itself, by name
};

struct FileReport {
    std::string node;
    std::string path;
    int repetition = 1;
};

/// One evaluation of the graph.
struct RepetitionReport {
    double milliseconds = 0;
    std::vector<NodeReport> nodes;    ///< those that executed to their end, in order
    std::vector<std::string> cached;  ///< those that did not have to
    memory::Traffic traffic;
    std::map<std::string, memory::DeviceLedger, std::less<>> ledger;  ///< at its end
};

/// Everything that is reported about a run when it is over.
struct RunReport {
    RunId run = 0;
    Status status = Status::Ok;
    double milliseconds = 0;
    bool began = false;  ///< a node started: from then on a refusal is a failure
    std::vector<RepetitionReport> repetitions;
    /// Of the last repetition that executed something; null: none did.
    std::shared_ptr<const memory::Plan> plan;
    Json devices = Json::array();
    Json precisions = Json::object();  ///< by node, as resolved before the run
    Issues issues;
    std::vector<FileReport> files;    ///< written by this run, or kept from an earlier one
    Json rehearsal = Json::object();  ///< by device, what the rehearsing ones counted
    Json collections;                 ///< of all repetitions; null before the first
    Json controls = Json::array();    ///< what control nodes did, in order
    memory::Timeline timeline;        ///< of the last repetition that executed something

    [[nodiscard]] int64_t executedCount() const;
};

/// The report as hosts get it (docs/events.md, "The report").
[[nodiscard]] Json toJson(const RunReport& report);

}  // namespace lowtide::executor
