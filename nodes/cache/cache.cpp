#include "nodes/cache/cache_nodes.hpp"
#include "nodes/engine/stage_errors.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace lowtide::nodes {

namespace {

constexpr const char* kStepCachePort = "step_cache";
constexpr double kMostCalls = 10000;

/// The settings of a step cache, and what of them lies in files.
struct FoundSettings {
    Json values;
    std::vector<std::string> fingerprints;
};

Json stepCacheSettings(const NodeDesc& desc, const executor::Params& params) {
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

ParamDesc countParam(std::string id,
                     std::string label,
                     std::string tooltip,
                     std::string unit,
                     int64_t defaultValue,
                     double least,
                     double usual) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = std::move(unit),
            .kind = ParamKind::Int,
            .defaultValue = defaultValue,
            .min = least,
            .max = kMostCalls,
            .softMin = least,
            .softMax = usual,
            .step = 1};
}

ParamDesc numberParam(std::string id,
                      std::string label,
                      std::string tooltip,
                      double defaultValue,
                      double least,
                      double most,
                      double usual) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Float,
            .defaultValue = defaultValue,
            .min = least,
            .max = most,
            .softMin = least,
            .softMax = usual,
            .step = 0.05};
}

std::vector<ParamDesc> limitParams(int64_t warmUp, int64_t mostInARow) {
    return {
        countParam("warm_up",
                   "Warm-up",
                   "First calls of the network, all computed.",
                   "calls",
                   warmUp,
                   0,
                   20),
        countParam("max_consecutive",
                   "In a row",
                   "Most calls without a computed one between. 0: no bound.",
                   "calls",
                   mostInARow,
                   0,
                   10),
        countParam(
            "keep_last", "Keep last", "Calls at the end that are computed.", "calls", 1, 0, 10)};
}

executor::NodeType cacheNode(NodeDesc desc, std::string kind, SettingFiles files) {
    desc.category = "Step caches";
    desc.outputs = {{.id = kStepCachePort,
                     .label = "Step cache",
                     .tooltip = "The settings; what is cached lives and dies with a run.",
                     .type = "STEP_CACHE"}};
    const auto find = [desc, files](const auto& context) {
        FoundSettings found{.values = stepCacheSettings(desc, context), .fingerprints = {}};
        if (files) {
            found.fingerprints = files(found.values, context.graphFolder());
        }
        return found;
    };
    const auto make = [kind](const FoundSettings& found) {
        return withErrorsOf("step cache", [&] {
            return memory::WireRef(sampling::stepCacheNamed(kind).make(found.values));
        });
    };
    return {.desc = desc,
            .spec =
                [find, make](const executor::SpecContext& context) {
                    FoundSettings found = find(context);
                    executor::NodeSpec spec;
                    spec.fingerprints = found.fingerprints;
                    spec.outputs = {{kStepCachePort, {.type = "STEP_CACHE", .value = make(found)}}};
                    return spec;
                },
            .run =
                [find, make](executor::Context& context) {
                    context.output(kStepCachePort, make(find(context)));
                },
            .collectAfter = {}};
}

}  // namespace lowtide::nodes
