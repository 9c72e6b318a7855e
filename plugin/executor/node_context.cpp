#include "plugin/executor/node_context.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/node_types.hpp"

#include <utility>

namespace lowtide::executor {

RunControls::RunControls(memory::Engine& engine,
                         Collections& collections,
                         const graph::SnapshotNode& node,
                         memory::DeviceSpec device,
                         Json& report)
    : engine_(engine),
      collections_(collections),
      node_(node),
      device_(std::move(device)),
      report_(report) {}

/// What the ledger has on the node's device, and what the process has in RAM.
Json RunControls::held() {
    return {{"device", engine_.ledger().bytesOn(device_.id())},
            {"host", engine_.memoryState(device_).hostUsed}};
}

void RunControls::offload(std::span<const std::string> components, bool dropHost) {
    Json entry = {{"node", node_.id},
                  {"action", dropHost ? "drop" : "evict"},
                  {"components", Json::array()},
                  {"before", held()}};
    Bytes given = 0;
    for (const std::string& component : components) {
        const Bytes bytes = engine_.offload(component, dropHost);
        engine_.ledger().event("offload", device_.id(), node_.id, component, bytes);
        entry["components"].push_back(component);
        given += bytes;
    }
    entry["bytes"] = given;
    entry["after"] = held();
    report_.push_back(std::move(entry));
}

void RunControls::collect(std::optional<int> threshold, bool isForced) {
    Json entry = {{"node", node_.id}, {"action", "collect"}, {"before", held()}};
    entry["ran"] = collections_.at({.name = node_.desc->id,
                                    .node = node_.id,
                                    .device = device_,
                                    .threshold = threshold,
                                    .isForced = isForced});
    entry["after"] = held();
    report_.push_back(std::move(entry));
}

namespace {

/// Between two reports of one phase; the first and the last are always sent.
constexpr std::chrono::milliseconds kProgressInterval(33);

}  // namespace

NodeContext::NodeContext(const graph::Snapshot& snapshot,
                         const graph::SnapshotNode& node,
                         const Wires& wires,
                         const RunOptions& options,
                         const StopToken& stop,
                         EventSink& events,
                         Controls& controls,
                         const std::string& precisionText)
    : snapshot_(snapshot),
      node_(node),
      wires_(wires),
      options_(options),
      stop_(stop),
      events_(events),
      controls_(controls),
      precisionText_(precisionText) {}

const Scalar& NodeContext::value(std::string_view id) const {
    return paramOf(node_, id);
}

memory::WireRef NodeContext::input(std::string_view port) const {
    requireInput(*node_.desc, port);
    const graph::SnapshotInput* input = node_.input(port);
    return input ? wires_.value(*input) : nullptr;
}

void NodeContext::output(std::string_view port, memory::WireRef value) {
    requireOutput(*node_.desc, port);
    const std::string& wanted = graph::findOutput(*node_.desc, port)->type;
    if (!value || (wanted != "*" && value->type() != wanted)) {
        throw Error(ErrorKind::Internal,
                    value ? message("{} gave {} on its output \"{}\" of type {}",
                                    node_.desc->id,
                                    value->type(),
                                    port,
                                    wanted)
                          : message("{} gave nothing on its output \"{}\" of type {}",
                                    node_.desc->id,
                                    port,
                                    wanted),
                    {},
                    std::string(port));
    }
    outputs.insert_or_assign(std::string(port), std::move(value));
}

void NodeContext::requireOutputs() const {
    for (const PortDesc& port : node_.desc->outputs) {
        if (!outputs.contains(port.id)) {
            throw Error(ErrorKind::Internal,
                        message("{} gave nothing on its output \"{}\"", node_.desc->id, port.id),
                        {},
                        port.id);
        }
    }
}

void NodeContext::progress(std::string_view phase, double done, double total) {
    const Clock::time_point now = Clock::now();
    const bool newPhase = phase != phase_ || phaseBegan_ == Clock::time_point();
    if (newPhase) {
        phase_ = phase;
        phaseBegan_ = now;
    } else if (done < total && now - lastSent_ < kProgressInterval) {
        return;
    }
    lastSent_ = now;
    std::optional<Seconds> eta;
    if (!newPhase && done > 0 && total >= done) {
        eta = std::chrono::duration<double>(now - phaseBegan_).count() * (total - done) / done;
    }
    events_.event(NodeProgress{node_.id, phase_, done, total, eta});
}

void NodeContext::preview(const Image8& image) {
    events_.preview(
        {.node = node_.id, .widthPixels = image.widthPixels, .heightPixels = image.heightPixels},
        image);
}

void NodeContext::previewStep(const Image8& image, const PreviewStep& step) {
    LOWTIDE_ASSERT(wantsPreviews());
    events_.preview({.node = node_.id,
                     .widthPixels = image.widthPixels,
                     .heightPixels = image.heightPixels,
                     .step = step},
                    image);
}

void NodeContext::issue(Issue issue) {
    issue.node = node_.id;
    events_.event(NodeIssue{issue});
    issues.push_back(std::move(issue));
}

}  // namespace lowtide::executor
