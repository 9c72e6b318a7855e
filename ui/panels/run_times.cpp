#include "ui/panels/run_times.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/answer.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

Json nodeKey(const graph::DocumentNode& node, const graph::Catalog& catalog) {
    Json params = node.params;
    if (const NodeDesc* desc = catalog.find(node.type)) {
        for (const ParamDesc& param : desc->params) {
            if ((param.kind == ParamKind::Seed || param.cosmetic) && params.is_object()) {
                params.erase(param.id);
            }
        }
    }
    return {node.type, params, node.memory, node.precision, static_cast<int>(node.mode)};
}

Json executedNodes(const Json& report) {
    Json nodes = Json::array();
    for (const Json& repetition : memberIn(report, "repetitions")) {
        nodes.push_back(memberIn(repetition, "executed"));
    }
    return nodes;
}

}  // namespace

std::string timeKeyOf(std::string_view text,
                      const Json& options,
                      const Json& report,
                      const graph::Catalog& catalog) {
    try {
        const graph::Document document = graph::parseDocument(text);
        Json key = {{"options", options},
                    {"executed", executedNodes(report)},
                    {"budget", document.memoryBudget.value_or("")},
                    {"device", document.device.value_or("")},
                    {"nodes", Json::object()},
                    {"links", Json::array()}};
        for (const auto& [id, node] : document.nodes) {
            key["nodes"][id] = nodeKey(node, catalog);
        }
        for (const graph::Link& link : document.links) {
            key["links"].push_back({link.from.node, link.from.port, link.to.node, link.to.port});
        }
        return sha256Hex(key.dump(-1, ' ', false, Json::error_handler_t::replace));
    } catch (const Error&) {
        return {};
    }
}

std::optional<RunTimes::Slower> RunTimes::take(const std::string& key, double milliseconds) {
    if (key.empty() || milliseconds <= 0) {
        return std::nullopt;
    }
    const auto known =
        std::find_if(last_.begin(), last_.end(), [&](const Last& last) { return last.key == key; });
    const double before = known == last_.end() ? 0 : known->milliseconds;
    if (known != last_.end()) {
        last_.erase(known);
    } else if (last_.size() == kMostKeys) {
        last_.pop_front();
    }
    last_.push_back({key, milliseconds});
    if (before <= 0 || milliseconds <= kSlower * before || milliseconds - before < kLeastMore) {
        return std::nullopt;
    }
    return Slower{milliseconds, before};
}

}  // namespace lowtide::ui
