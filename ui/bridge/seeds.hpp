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

}  // namespace lowtide::ui
