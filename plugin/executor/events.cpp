#include "plugin/executor/events.hpp"

#include "plugin/executor/result_cache.hpp"
#include "plugin/graph/issues.hpp"

#include <utility>

namespace lowtide::executor {

namespace {

Bytes totalOn(const MemoryUse& use, std::string_view device) {
    const auto found = use.ledger.find(device);
    return found == use.ledger.end() ? 0 : found->second.total;
}

struct ToJson {
    Json operator()(const RunStarted& e) const {
        return {{"event", "runStarted"}, {"nodes", e.nodes}, {"repetitions", e.repetitions}};
    }

    Json operator()(const NodeCached& e) const {
        return {{"event", "nodeCached"},
                {"node", e.node},
                {"repetition", e.repetition},
                {"files", e.files}};
    }

    Json operator()(const NodeStarted& e) const {
        return {{"event", "nodeStarted"}, {"node", e.node}, {"repetition", e.repetition}};
    }

    Json operator()(const NodeProgress& e) const {
        return {{"event", "nodeProgress"},
                {"node", e.node},
                {"phase", e.phase},
                {"done", e.done},
                {"total", e.total},
                {"eta", e.eta ? Json(*e.eta) : Json()}};
    }

    Json operator()(const NodePreview& e) const {
        Json json = {{"event", "nodePreview"},
                     {"node", e.node},
                     {"width", e.widthPixels},
                     {"height", e.heightPixels},
                     {"live", e.step.has_value()}};
        if (e.step) {
            json["done"] = e.step->done;
            json["total"] = e.step->total;
            json["scale"] = e.step->scale;
        }
        return json;
    }

    Json operator()(const NodeIssue& e) const {
        return {{"event", "nodeIssue"}, {"node", e.issue.node}, {"issue", graph::toJson(e.issue)}};
    }

    Json operator()(const NodeFinished& e) const {
        return {{"event", "nodeFinished"},
                {"node", e.node},
                {"repetition", e.repetition},
                {"ms", e.milliseconds},
                {"peakBytes", e.peakBytes},
                {"files", e.files}};
    }

    Json operator()(const NodeFailed& e) const {
        return {{"event", "nodeFailed"}, {"node", e.issue.node}, {"issue", graph::toJson(e.issue)}};
    }

    Json operator()(const RunFinished& e) const {
        return {{"event", "runFinished"},
                {"status", nameOf(e.status)},
                {"ms", e.milliseconds},
                {"executed", e.executed},
                {"issues", graph::toJson(e.issues)}};
    }

    Json operator()(const MemoryUse& e) const {
        Json devices = Json::object();
        for (const auto& [device, ledger] : e.ledger) {
            devices[device] = ledger.total;
        }
        return {{"event", "memory"},
                {"device", e.device},
                {"allocated", totalOn(e, e.device)},
                {"host", totalOn(e, kHostDevice)},
                {"devices", devices}};
    }
};

}  // namespace

std::string toText(RunId run, const Event& event) {
    Json json = std::visit(ToJson{}, event);
    json["run"] = run;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool isPassing(const Event& event) {
    return std::holds_alternative<NodeProgress>(event) || std::holds_alternative<MemoryUse>(event);
}

std::string_view nameOf(Status status) {
    switch (status) {
        case Status::Ok:
            return "ok";
        case Status::Invalid:
            return "invalid";
        case Status::Failed:
            return "failed";
        case Status::Cancelled:
            return "cancelled";
    }
    return "failed";
}

namespace {

Json trafficJson(const memory::Traffic& traffic) {
    return {{"bytesToDevice", traffic.bytesToDevice},
            {"rowBytesToDevice", traffic.rowBytesToDevice},
            {"bytesRead", traffic.bytesRead},
            {"copies", traffic.copies},
            {"leases", traffic.leases},
            {"misses", traffic.misses},
            {"stages", memory::toJson(traffic.stages)}};
}

Json repetitionJson(const RepetitionReport& repetition) {
    Json executed = Json::array();
    Json nodes = Json::array();
    for (const NodeReport& node : repetition.nodes) {
        executed.push_back(node.node);
        Json reported = node.facts;
        reported.update({{"node", node.node},
                         {"type", node.type},
                         {"device", node.device},
                         {"ms", node.milliseconds},
                         {"peakBytes", node.peakBytes}});
        nodes.push_back(std::move(reported));
    }
    return {{"ms", repetition.milliseconds},
            {"executed", executed},
            {"cached", repetition.cached},
            {"nodes", nodes},
            {"bytesToDevice", repetition.traffic.bytesToDevice},
            {"traffic", trafficJson(repetition.traffic)},
            {"ledger", memory::toJson(repetition.ledger)}};
}

}  // namespace

int64_t RunReport::executedCount() const {
    int64_t count = 0;
    for (const RepetitionReport& repetition : repetitions) {
        count += static_cast<int64_t>(repetition.nodes.size());
    }
    return count;
}

Json toJson(const RunReport& report) {
    Json repetitions = Json::array();
    for (const RepetitionReport& repetition : report.repetitions) {
        repetitions.push_back(repetitionJson(repetition));
    }
    Json files = Json::array();
    for (const FileReport& file : report.files) {
        files.push_back(
            {{"node", file.node}, {"path", file.path}, {"repetition", file.repetition}});
    }
    return {{"run", report.run},
            {"status", nameOf(report.status)},
            {"ms", report.milliseconds},
            {"executed", report.executedCount()},
            {"repetitions", repetitions},
            {"plan", report.plan ? memory::toJson(*report.plan) : Json()},
            {"devices", report.devices},
            {"precision", report.precisions},
            {"issues", graph::toJson(report.issues)},
            {"files", files},
            {"rehearsal", report.rehearsal},
            {"collections", report.collections},
            {"controls", report.controls},
            {"timeline", memory::toJson(report.timeline.moments())},
            {"moves", memory::toJson(report.timeline.moves())}};
}

}  // namespace lowtide::executor
