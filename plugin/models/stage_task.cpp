#include "plugin/models/stage_task.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/precision/finite_checks.hpp"
#include "plugin/models/precision/stage_precision.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/walk/stage_walk.hpp"
#include "plugin/tensor/numerics_scope.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>

namespace lowtide::models {

namespace {

std::vector<memory::ComponentPrecision> precisionsOf(const StageTask& task) {
    if (task.roles.empty()) {
        return {};
    }
    const auto source = task.source();
    std::vector<std::string_view> patterns = task.roles;
    for (const std::string_view pattern : task.addedRoles) {
        if (hasRole(*source, pattern)) {
            patterns.push_back(pattern);
        }
    }
    return precisionsFor(*source, patterns, task.precision);
}

/// Sides of tiles that are proposed, the largest first.
constexpr std::array<int64_t, 7> kTileSides = {1024, 768, 512, 384, 256, 192, 128};

memory::SmallerWork inSmallerTiles(const StageTask& task,
                                   const StageFacts& facts,
                                   const memory::StagePlace& place) {
    memory::SmallerWork smaller{.param = task.tileParam};
    std::copy_if(kTileSides.begin(),
                 kTileSides.end(),
                 std::back_inserter(smaller.values),
                 [&](int64_t side) { return task.tilePixels == 0 || side < task.tilePixels; });
    smaller.work = [task, facts, place](int64_t side) -> std::optional<memory::StageWork> {
        try {
            return withErrorsOf(task.name,
                                [&] { return walkStage(task.inTiles(side), facts, place); });
        } catch (const Error&) {
            return std::nullopt;  // of an overlap, say, that is larger
        }
    };
    return smaller;
}

}  // namespace

StageOutline outlineTask(const StageTask& task, ModelHashes& hashes) {
    StageFacts facts{.precisions = precisionsOf(task), .hashes = &hashes};
    StageShapes shapes = task.shape(facts);
    if (!shapes.runsComponents) {
        facts.precisions.clear();
    }
    StageOutline outline{.outputs = std::move(shapes.outputs),
                         .precisions = facts.precisions,
                         .issues = std::move(shapes.issues),
                         .fingerprints = std::move(shapes.fingerprints),
                         .facts = std::move(shapes.facts)};
    if (!facts.precisions.empty()) {
        outline.components = [task, precisions = facts.precisions] {
            return withErrorsOf(task.name, [&] {
                const auto source = task.source();
                return typedTrees(typedFor(*source, precisions), *source, precisions);
            });
        };
    }
    if (task.inTiles) {
        outline.smaller = [task, facts](const memory::StagePlace& place) {
            return inSmallerTiles(task, facts, place);
        };
    }
    outline.walk = [task, facts](const memory::StagePlace& place) {
        return withErrorsOf(task.name, [&] { return walkStage(task, facts, place); });
    };
    return outline;
}

std::vector<WireRef> runTask(const StageTask& task, StageContext& context, const StageCall& call) {
    const std::vector<memory::ComponentPrecision> precisions = precisionsOf(task);
    std::optional<tensor::NumericsScope> scope;
    if (!precisions.empty()) {
        const auto source = task.source();
        context.typed = typedFor(*source, precisions);
        context.exact = exactFor(*source, precisions);
    }
    if (!precisions.empty() && !task.hasOwnSwitches) {
        scope.emplace(precisions.front().switches);
    }
    FiniteChecks finite(task, precisions, /*isDryRun=*/false);
    context.finite = &finite;
    std::vector<WireRef> results = task.run(context, call);
    finite.look(results);
    context.finite = nullptr;
    return results;
}

}  // namespace lowtide::models
