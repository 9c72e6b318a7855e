#pragma once

#include "plugin/base/json.hpp"
#include "plugin/executor/events.hpp"
#include "plugin/memory/engine.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lowtide::executor {

struct NodeReport {
    std::string node;
    std::string type;
    std::string device;  ///< where it computed
    double milliseconds = 0;
    Bytes peakBytes = 0;          ///< there
    Json facts = Json::object();  ///< what it told of itself, by name
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

/// Everything that is told of a run when it is over.
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
