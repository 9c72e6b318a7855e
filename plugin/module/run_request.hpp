#pragma once

#include "plugin/executor/run_options.hpp"
#include "plugin/graph/overrides.hpp"
#include "plugin/graph/snapshot.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::module {

/// A graph text and options of a Runner call, read and checked.
struct RequestedGraph {
    graph::Document document;
    Issues issues;  ///< of validation
    executor::RunOptions options;
    std::string dump;
    std::string teacher;
};

/// Options: graphFolder, out, device, as (one of `cards`, or what else a card is written as), set,
/// policies, precisions, exact (lossy choices are refused), until (nodes with which the run ends),
/// repeat, timeline (file), dump, teacher (a dump that denoisers go along), forceExecution,
/// gcThreshold (percent), lowMemory (auto, on, off), previews. Error{InvalidInput} or
/// Error{Corrupt} names what is wrong; findings of validation are in `issues`.
[[nodiscard]] RequestedGraph readRequest(std::string_view graph,
                                         std::string_view options,
                                         const graph::Catalog& catalog,
                                         const std::string& numerics,
                                         std::span<const memory::Card> cards);

}  // namespace lowtide::module
