#include "nodes/cache/cache_nodes.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace lowtide::nodes {

namespace {

constexpr const char* kOutput = "step_cache";

Json settingsOf(const NodeDesc& desc, const executor::Params& params) {
    Json settings = Json::object();
    for (const ParamDesc& param : desc.params) {
        std::visit(
            [&](const auto& value) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
                    settings[param.id] = value;
                }
            },
            params.value(param.id));
    }
    return settings;
}

}  // namespace

executor::NodeType cacheNode(models::Stages& stages, NodeDesc desc, std::string kind) {
    desc.category = "Step caches";
    desc.outputs = {{.id = kOutput,
                     .label = "Step cache",
                     .tooltip = "The settings; what is cached lives and dies with a run.",
                     .type = "STEP_CACHE"}};
    const auto make = [&stages, desc, kind](const executor::Params& params) {
        return stages.stepCache({.kind = kind, .settings = settingsOf(desc, params)});
    };
    return {.desc = desc,
            .outline =
                [make](const executor::OutlineContext& context) {
                    executor::WorkOutline outline;
                    outline.outputs = {{kOutput, {.type = "STEP_CACHE", .value = make(context)}}};
                    return outline;
                },
            .run = [make](executor::Context& context) { context.output(kOutput, make(context)); },
            .collectAfter = {}};
}

std::vector<executor::NodeType> cache(models::Stages& stages) {
    return {deepCacheNode(stages)};
}

}  // namespace lowtide::nodes
