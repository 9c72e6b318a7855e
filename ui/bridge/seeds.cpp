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

/// Calls `give` with each seed of an active node, in the order of ids.
template <class Document, class Give>
void forSeeds(Document& document, const graph::Catalog& catalog, const Give& give) {
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc || node.mode != graph::NodeMode::Active) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            if (param.kind == ParamKind::Seed) {
                give(id, node, param);
            }
        }
    }
}

uint64_t seedIn(const graph::DocumentNode& node, const ParamDesc& param) {
    const Json value = node.params.contains(param.id) ? node.params.at(param.id)
                                                      : graph::toJson(param.defaultValue);
    const bool isSeed =
        value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
    return isSeed ? value.get<uint64_t>() : 0;
}

}  // namespace

bool renewSeeds(graph::Document& document,
                const graph::Catalog& catalog,
                const std::function<uint64_t()>& random) {
    bool changed = false;
    forSeeds(
        document, catalog, [&](const auto&, graph::DocumentNode& node, const ParamDesc& param) {
            const SeedMode mode = seedModeOf(node, param.id);
            if (mode == SeedMode::Keep) {
                return;
            }
            const Json before = node.params.contains(param.id) ? node.params.at(param.id)
                                                               : graph::toJson(param.defaultValue);
            node.params[param.id] = mode == SeedMode::Random ? drawnSeed(param, random())
                                                             : nextSeed(param, seedIn(node, param));
            changed = changed || node.params.at(param.id) != before;
        });
    return changed;
}

void spreadSeeds(graph::Document& document,
                 const graph::Catalog& catalog,
                 SeveralSeeds how,
                 uint64_t run,
                 const std::function<uint64_t()>& random) {
    forSeeds(
        document, catalog, [&](const auto&, graph::DocumentNode& node, const ParamDesc& param) {
            uint64_t seed = seedIn(node, param);
            for (uint64_t i = 0; i < run; ++i) {
                seed = nextSeed(param, seed);
            }
            node.params[param.id] = how == SeveralSeeds::Random ? drawnSeed(param, random()) : seed;
        });
}

Json seedsIn(const graph::Document& document, const graph::Catalog& catalog) {
    Json seeds = Json::object();
    forSeeds(document, catalog, [&](const auto& id, const auto& node, const ParamDesc& param) {
        seeds[id][param.id] = seedIn(node, param);
    });
    return seeds;
}

void putSeeds(graph::Document& document, const Json& seeds) {
    for (const auto& [node, params] : seeds.items()) {
        for (const auto& [param, seed] : params.items()) {
            document.nodes.at(node).params[param] = seed;
        }
    }
}

bool takeSeeds(graph::Document& document, const graph::Catalog& catalog, const Json& seeds) {
    bool isTaken = false;
    const auto take = [&](graph::DocumentNode& node, const ParamDesc& param, const Json& seed) {
        node.params[param.id] = seed;
        setSeedMode(node, param.id, SeedMode::Keep);
        isTaken = true;
    };
    forSeeds(document, catalog, [&](const auto& id, auto& node, const ParamDesc& param) {
        if (seeds.contains(id) && seeds.at(id).contains(param.id)) {
            take(node, param, seeds.at(id).at(param.id));
        }
    });
    if (!isTaken && !seeds.empty()) {
        forSeeds(document, catalog, [&](const auto&, auto& node, const ParamDesc& param) {
            if (!isTaken) {
                take(node, param, seeds.front().front());
            }
        });
    }
    return isTaken;
}

}  // namespace lowtide::ui
