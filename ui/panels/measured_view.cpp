#include "ui/panels/measured_view.hpp"

#include "ui/bridge/answer.hpp"

namespace lowtide::ui {

namespace {

const Json& stageOf(const Json& stages, const std::string& node) {
    static const Json none;
    for (const Json& stage : stages) {
        if (textIn(stage, "node") == node) {
            return stage;
        }
    }
    return none;
}

MeasuredNode measured(const Json& node, const Json& planned, const Json& traffic) {
    const std::string device = textIn(node, "device");
    MeasuredNode row{.node = textIn(node, "node"),
                     .seconds = numberIn(node, "ms") / 1000,
                     .peak = bytesIn(node, "peakBytes"),
                     .moved = bytesIn(traffic, "moved"),
                     .plannedMoved = bytesIn(planned, "moved")};
    if (memberIn(planned, "has_networks") == true) {
        row.plannedSeconds = numberIn(planned, "seconds");
    }
    const Json& held = memberIn(memberIn(planned, "devices"), device.c_str());
    if (held.is_object()) {
        row.plannedPeak = bytesIn(held, "total");
    }
    for (const Json& lane : memberIn(traffic, "lanes")) {
        row.copySeconds = row.copySeconds.value_or(0) + numberIn(lane, "copy");
        row.waitSeconds += numberIn(lane, "wait");
    }
    return row;
}

}  // namespace

std::optional<MeasuredView> measuredViewOf(const Json& report) {
    const Json& repetitions = memberIn(report, "repetitions");
    if (!repetitions.is_array() || repetitions.empty()) {
        return std::nullopt;
    }
    const Json& last = repetitions.back();
    const Json& plan = memberIn(report, "plan");
    MeasuredView view;
    for (const Json& node : memberIn(last, "nodes")) {
        const std::string id = textIn(node, "node");
        view.nodes.push_back(measured(node,
                                      stageOf(memberIn(plan, "stages"), id),
                                      stageOf(memberIn(memberIn(last, "traffic"), "stages"), id)));
    }
    for (const Json& node : memberIn(last, "cached")) {
        if (node.is_string()) {
            view.cached.push_back(node.get<std::string>());
        }
    }
    const Json& devices = memberIn(plan, "devices");
    if (devices.is_array() && !devices.empty()) {
        view.plannedPeak = bytesIn(devices[0], "peak");
        view.isEstimated = memberIn(devices[0], "estimated") == true;
        view.peak = bytesIn(
            memberIn(memberIn(last, "ledger"), textIn(devices[0], "device").c_str()), "peak");
    }
    for (const Json& record : memberIn(memberIn(report, "collections"), "records")) {
        ++view.collections;
        view.saved += bytesIn(memberIn(record, "gc"), "saved");
    }
    return view.nodes.empty() ? std::nullopt : std::optional(view);
}

}  // namespace lowtide::ui
