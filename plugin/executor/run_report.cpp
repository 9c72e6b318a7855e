#include "plugin/executor/run_report.hpp"

#include "plugin/graph/issue_json.hpp"

#include <utility>

namespace lowtide::executor {

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
        Json told = node.facts;
        told.update({{"node", node.node},
                     {"type", node.type},
                     {"device", node.device},
                     {"ms", node.milliseconds},
                     {"peakBytes", node.peakBytes}});
        nodes.push_back(std::move(told));
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
