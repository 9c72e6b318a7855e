#include "ui/bridge/seeds.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/document/edits.hpp"

namespace lowtide::ui {

namespace {

/// The next seed, within what the parameter takes.
uint64_t nextSeed(const ParamDesc& param, uint64_t seed) {
    const bool isLast = seed == UINT64_MAX ||
                        (param.max && *param.max > 0 && static_cast<double>(seed) >= *param.max);
    return isLast ? 0 : seed + 1;
}

}  // namespace

bool renewSeeds(graph::Document& document,
                const graph::Catalog& catalog,
                const std::function<uint64_t()>& random) {
    bool changed = false;
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc || node.mode != graph::NodeMode::Active) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            const SeedMode mode = seedModeOf(node, param.id);
            if (param.kind != ParamKind::Seed || mode == SeedMode::Keep) {
                continue;
            }
            const Json before = node.params.contains(param.id) ? node.params.at(param.id)
                                                               : graph::toJson(param.defaultValue);
            const uint64_t seed = before.is_number_unsigned() ? before.get<uint64_t>() : 0;
            node.params[param.id] =
                mode == SeedMode::Random ? drawnSeed(param, random()) : nextSeed(param, seed);
            changed = changed || node.params.at(param.id) != before;
        }
    }
    return changed;
}

}  // namespace lowtide::ui
