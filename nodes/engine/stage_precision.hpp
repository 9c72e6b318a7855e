#pragma once

#include "plugin/memory/precision.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/stage_context.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace lowtide::nodes {

/// Of the CPU on the paths of this process, and of rehearsals of a GPU, which compute as it does.
[[nodiscard]] memory::NumericTraits cpuTraits();

/// How the components that the patterns mean are stored and computed, as `choice` asks. Reads no
/// weight; opens files only where their types matter. Errors: those of rolesIn() and of
/// memory::resolvePrecision().
[[nodiscard]] std::vector<memory::ComponentPrecision> precisionsFor(
    const models::ComponentSource& source,
    const std::vector<std::string_view>& patterns,
    const memory::PrecisionChoice& choice);

/// StageContext::typed for components of `source`. Opens their files, for their headers.
[[nodiscard]] models::TypedNetworks typedFor(
    const models::ComponentSource& source,
    const std::vector<memory::ComponentPrecision>& precisions);
/// StageContext::exact, likewise.
[[nodiscard]] models::TypedNetworks exactFor(
    const models::ComponentSource& source,
    const std::vector<memory::ComponentPrecision>& precisions);

/// The trees of what typedFor() gave, in the order of `precisions`.
[[nodiscard]] std::vector<std::shared_ptr<const memory::ComponentTree>> typedTrees(
    const models::TypedNetworks& networks,
    const models::ComponentSource& source,
    const std::vector<memory::ComponentPrecision>& precisions);

}  // namespace lowtide::nodes
