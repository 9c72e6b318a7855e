#include "cli/fewer_steps.hpp"

#include "plugin/graph/param_value.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lowtide::cli {

namespace {

constexpr const char* kSteps = "steps";

/// The whole number that a node has for a parameter; empty where its type has none.
std::optional<int64_t> integerOf(const graph::DocumentNode& node,
                                 const graph::Catalog& catalog,
                                 const char* id) {
    const NodeDesc* desc = catalog.find(node.type);
    const ParamDesc* param = desc ? graph::findParam(*desc, id) : nullptr;
    if (!param || param->kind != ParamKind::Int) {
        return std::nullopt;
    }
    const Json value = graph::valueOf(node, *param);
    return value.is_number_integer() ? std::optional(value.get<int64_t>()) : std::nullopt;
}

}  // namespace

double samplingMilliseconds(const Json& repetition, const graph::Catalog& catalog) {
    double milliseconds = 0;
    for (const Json& node : repetition.at("nodes")) {
        const NodeDesc* desc = catalog.find(node.at("type").get<std::string>());
        if (desc && graph::findParam(*desc, kSteps)) {
            milliseconds += node.at("ms").get<double>();
        }
    }
    return milliseconds;
}

std::vector<std::string> fewerSteps(const graph::Document& document,
                                    const graph::Catalog& catalog,
                                    double fraction) {
    std::vector<std::string> settings;
    bool areFewer = false;
    for (const auto& [id, node] : document.nodes) {
        const std::optional<int64_t> steps = integerOf(node, catalog, kSteps);
        if (!steps) {
            continue;
        }
        const auto fractionOf = [&](int64_t count) {
            return static_cast<int64_t>(std::llround(static_cast<double>(count) * fraction));
        };
        const int64_t fewer = std::clamp<int64_t>(fractionOf(*steps), 1, *steps);
        areFewer = areFewer || fewer < *steps;
        settings.push_back(id + "." + kSteps + "=" + std::to_string(fewer));
        for (const char* param : {"start_step", "end_step"}) {
            const std::optional<int64_t> step = integerOf(node, catalog, param);
            if (step && *step > 0) {
                settings.push_back(id + "." + param + "=" + std::to_string(fractionOf(*step)));
            }
        }
    }
    return areFewer ? settings : std::vector<std::string>();
}

bool stepsDiffer(const graph::Document& first,
                 const graph::Document& second,
                 const graph::Catalog& catalog) {
    return std::any_of(first.nodes.begin(), first.nodes.end(), [&](const auto& entry) {
        const auto other = second.nodes.find(entry.first);
        return other != second.nodes.end() && integerOf(entry.second, catalog, kSteps) !=
                                                  integerOf(other->second, catalog, kSteps);
    });
}

}  // namespace lowtide::cli
