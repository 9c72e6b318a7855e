#include "ui/document/canvas_json.hpp"
#include "ui/document/edits.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr const char* kSeedModes = "seed_modes";
constexpr const char* kRandom = "random";
constexpr const char* kIncrement = "increment";

}  // namespace

void toggleMode(graph::Document& document, const NodeIds& ids, graph::NodeMode mode) {
    std::vector<graph::DocumentNode*> nodes;
    for (const std::string& id : ids) {
        if (const auto found = document.nodes.find(id); found != document.nodes.end()) {
            nodes.push_back(&found->second);
        }
    }
    const bool haveAll = std::all_of(
        nodes.begin(), nodes.end(), [&](const auto* node) { return node->mode == mode; });
    for (graph::DocumentNode* node : nodes) {
        node->mode = haveAll ? graph::NodeMode::Active : mode;
    }
}

bool canBypass(const graph::Document& document,
               const graph::Catalog& catalog,
               const std::string& id) {
    const auto node = document.nodes.find(id);
    const NodeDesc* desc = node == document.nodes.end() ? nullptr : catalog.find(node->second.type);
    return desc && std::any_of(desc->outputs.begin(), desc->outputs.end(), [&](const auto& output) {
               return graph::passedInput(*desc, output.id) != nullptr;
           });
}

uint64_t drawnSeed(const ParamDesc& param, uint64_t random) {
    const bool isSmaller =
        param.max && *param.max > 0 && *param.max < static_cast<double>(kDrawnSeeds);
    return random % (isSmaller ? static_cast<uint64_t>(*param.max) + 1 : kDrawnSeeds);
}

SeedMode seedModeOf(const graph::DocumentNode& node, const std::string& param) {
    const Json& mode = memberIn(memberIn(node.extra, kSeedModes), param.c_str());
    return mode == kRandom      ? SeedMode::Random
           : mode == kIncrement ? SeedMode::Increment
                                : SeedMode::Keep;
}

void setSeedMode(graph::DocumentNode& node, const std::string& param, SeedMode mode) {
    Json& modes = node.extra[kSeedModes];
    if (!modes.is_object()) {
        modes = Json::object();
    }
    if (mode == SeedMode::Keep) {
        modes.erase(param);
    } else {
        modes[param] = mode == SeedMode::Random ? kRandom : kIncrement;
    }
    if (modes.empty()) {
        node.extra.erase(kSeedModes);
    }
}

void setExposed(graph::Document& document,
                const std::string& node,
                const std::string& param,
                const std::string& label,
                bool isExposed) {
    const auto found = std::find_if(
        document.exposed.begin(), document.exposed.end(), [&](const graph::ExposedParam& entry) {
            return entry.node == node && entry.param == param;
        });
    if (!isExposed) {
        std::erase_if(document.exposed, [&](const graph::ExposedParam& entry) {
            return entry.node == node && entry.param == param;
        });
    } else if (found != document.exposed.end()) {
        found->label = label;
    } else {
        document.exposed.push_back({.node = node, .param = param, .label = label});
    }
}

}  // namespace lowtide::ui
