#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <cstdint>
#include <functional>

namespace lowtide::ui {

/// Gives seeds whose mode is not "keep" their next value: another one, or one more (after the
/// largest comes 0). True when one changed. The seed that is then shown is the one that is used.
bool renewSeeds(graph::Document& document,
                const graph::Catalog& catalog,
                const std::function<uint64_t()>& random);

/// What becomes of the seeds of a run that is one of several.
enum class SeveralSeeds {
    AsNodesSay,  ///< renewSeeds()
    Random,
    Counting  ///< one more each time
};

/// Gives every seed of an active node another value for run number `run` of several, drawn or
/// counted; counted ones begin with what stands there for run 0.
void spreadSeeds(graph::Document& document,
                 const graph::Catalog& catalog,
                 SeveralSeeds how,
                 uint64_t run,
                 const std::function<uint64_t()>& random);

/// The seeds of active nodes, by node and parameter.
[[nodiscard]] Json seedsIn(const graph::Document& document, const graph::Catalog& catalog);

/// Gives the nodes of the same graph these seeds of seedsIn().
void putSeeds(graph::Document& document, const Json& seeds);

/// Into the active nodes of the same names, which keep them from now on; else the first one into
/// the first. False: there is no place for one.
bool takeSeeds(graph::Document& document, const graph::Catalog& catalog, const Json& seeds);

}  // namespace lowtide::ui
