#include "ui/panels/run_times.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/answer.hpp"

#include <utility>

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
        return key.dump(-1, ' ', false, Json::error_handler_t::replace);
    } catch (const Error&) {
        return {};
    }
}

std::optional<RunTimes::Slower> RunTimes::take(const std::string& key, double milliseconds) {
    if (key.empty() || milliseconds <= 0) {
        return std::nullopt;
    }
    const auto [last, isFirst] = last_.try_emplace(key, milliseconds);
    const double before = std::exchange(last->second, milliseconds);
    if (isFirst || milliseconds <= kSlower * before) {
        return std::nullopt;
    }
    return Slower{milliseconds, before};
}

}  // namespace lowtide::ui
