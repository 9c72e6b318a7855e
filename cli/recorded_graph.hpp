#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <string>

namespace lowtide::cli {

/// A graph with a denoiser that computes everything and records what a curve is made from.
struct RecordedGraph {
    graph::Document document;
    std::string denoiser;  ///< node
};

/// Puts a recorder in place of the denoiser's step cache. `node`: the denoiser; empty: the only
/// one. Errors: Error{InvalidInput} names the nodes there are when there is no denoiser, several to
/// choose from, or when `node` is none or muted.
[[nodiscard]] RecordedGraph recordedGraph(graph::Document document,
                                          const graph::Catalog& catalog,
                                          const std::string& node);

/// The graph in which the denoiser begins with this seed.
[[nodiscard]] graph::Document withSeed(const RecordedGraph& graph, uint64_t seed);

}  // namespace lowtide::cli
