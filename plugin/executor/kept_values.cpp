#include "plugin/executor/kept_values.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/failure.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lowtide::executor {

KeptValues::KeptValues(const graph::Snapshot& snapshot,
                       const OutlinedGraph& outlined,
                       ResultCache& cache,
                       DiskCache& disk,
                       memory::Ledger& ledger)
    : snapshot_(snapshot), outlined_(outlined), disk_(disk), ledger_(ledger) {
    std::set<std::string, std::less<>> pinned;
    Bytes limit = 0;
    for (size_t node = 0; node < snapshot.nodes.size(); ++node) {
        const auto& request = outlined.work[node].keep;
        const NodeDesc& desc = *snapshot.nodes[node].desc;
        if (!request) {
            continue;
        }
        LOWTIDE_ASSERT(desc.control && !desc.outputs.empty());
        const auto source = graph::behindControl(snapshot, {node, desc.outputs.front().id});
        if (!source) {
            continue;
        }
        keepers_.push_back({node, *request, *source});
        if (request->place == KeepPlace::Memory) {
            pinned.insert(outlined.keys[source->node]);
            limit = std::max(limit, request->limit);
        }
    }
    // The graph has these nodes, and none that keeps what they make any more.
    std::set<std::string, std::less<>> ended(outlined.keys.begin(), outlined.keys.end());
    cache.pin(std::move(pinned), limit, ended);
}

std::shared_ptr<const CachedResult> KeptValues::find(size_t node,
                                                     const std::set<std::string>& ports) {
    std::vector<const Keeper*> keepers;
    for (const std::string& port : ports) {
        const auto keeper = std::find_if(keepers_.begin(), keepers_.end(), [&](const Keeper& each) {
            return each.request.place == KeepPlace::Disk && each.source.node == node &&
                   each.source.port == port;
        });
        if (keeper == keepers_.end()) {
            return nullptr;
        }
        keepers.push_back(&*keeper);
    }
    auto result = std::make_shared<CachedResult>();
    for (const Keeper* keeper : keepers) {
        lookUp(*keeper, *result);
    }
    if (keepers.empty() || result->outputs.size() < keepers.size()) {
        return nullptr;
    }
    for (const Keeper* keeper : keepers) {
        report(*keeper, "found", result->outputs.at(keeper->source.port)->bytesOn(kHostDevice));
    }
    return result;
}

/// Adds the kept value, if there is one that can be used.
void KeptValues::lookUp(const Keeper& keeper, CachedResult& result) {
    const graph::SnapshotNode& node = snapshot_.nodes[keeper.source.node];
    const std::string& port = keeper.source.port;
    const std::string& type = graph::findOutput(*node.desc, port)->type;
    memory::WireRef value;
    std::optional<Issue> issue = attempt(snapshot_.nodes[keeper.position].id, [&] {
        value = disk_.find({outlined_.keys[keeper.source.node], port}, type);
    });
    // Another process may have removed the file between its name and its contents.
    if (issue && issue->code != codeOf(ErrorKind::NotFound)) {
        warn(std::move(*issue));
    }
    if (value) {
        const std::array<std::string, 1> host = {kHostDevice};
        result.charges.push_back(std::make_unique<LedgerCharge>(
            ledger_, memory::Tag::Cache, node.id + "." + port, *value, host));
        result.outputs.emplace(port, std::move(value));
    }
}

void KeptValues::keep(size_t keeper, const memory::WireRef& value) {
    for (const Keeper& each : keepers_) {
        if (each.position != keeper) {
            continue;
        }
        Bytes bytes = 0;
        std::optional<Issue> issue =
            attempt(snapshot_.nodes[keeper].id, [&] { bytes = store(each, value->onHost()); });
        issue ? warn(std::move(*issue)) : report(each, "kept", bytes);
    }
}

Bytes KeptValues::store(const Keeper& keeper, const memory::WireRef& value) {
    if (keeper.request.place == KeepPlace::Disk) {
        return disk_.put(
            {outlined_.keys[keeper.source.node], keeper.source.port}, value, keeper.request.limit);
    }
    const Bytes bytes = value->bytesOn(kHostDevice);
    requireWithinLimit(bytes, keeper.request.limit);
    return bytes;
}

void KeptValues::warn(Issue issue) {
    issue.severity = Severity::Warning;
    issue.code = "result_not_kept";
    issues_.push_back(std::move(issue));
}

void KeptValues::report(const Keeper& keeper, const char* action, Bytes bytes) {
    reports_.push_back({{"node", snapshot_.nodes[keeper.position].id},
                        {"action", action},
                        {"place", keeper.request.place == KeepPlace::Disk ? "disk" : "memory"},
                        {"bytes", bytes}});
}

Issues KeptValues::takeIssues() {
    return std::exchange(issues_, {});
}

std::vector<Json> KeptValues::takeReports() {
    return std::exchange(reports_, {});
}

}  // namespace lowtide::executor
