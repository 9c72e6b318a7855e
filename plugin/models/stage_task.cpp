#include "plugin/models/stage_task.hpp"

#include "plugin/models/precision/stage_precision.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/walk/stage_walk.hpp"
#include "plugin/tensor/numerics_scope.hpp"

#include <optional>

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
    return task.run(context, call);
}

}  // namespace lowtide::models
