#pragma once
// Graphs in which a denoiser has another step cache or precision, so that it is measured.

#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/vary/variation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::cli {

/// One lossy choice for a sampling node.
struct LossyChoice {
    /// In one line: "speed", "cache.deepcache interval=5": parameters that have their defaults are
    /// left out.
    std::string name;
    Json precision;                            ///< as DocumentNode; null: that of the exact graph
    std::optional<graph::DocumentNode> cache;  ///< the node that gives a step cache
};

/// The node whose network is measured: the one of `until`, else the only one that takes a step
/// cache. Error{InvalidInput} lists them when there are several, or states that there is none.
[[nodiscard]] std::string sampledNode(const graph::Document& document,
                                      const graph::Catalog& catalog,
                                      const std::vector<std::string>& until);

/// The graph up to `node`, in f32 and without a step cache.
[[nodiscard]] graph::Document exactUpTo(graph::Document document,
                                        const graph::Catalog& catalog,
                                        const std::string& node);
/// `exact` with the choice at `node`.
[[nodiscard]] graph::Document withChoice(const graph::Document& exact,
                                         const graph::Catalog& catalog,
                                         const std::string& node,
                                         const LossyChoice& choice);

/// Every preset, the types that presets have somewhere, and every step cache as its node is made.
[[nodiscard]] std::vector<LossyChoice> allLossyChoices(const graph::Catalog& catalog);
/// What the variants make of the step cache that `node` has in the document, and of its precision.
/// Error{InvalidInput} when it has none, or another node's parameter is varied.
[[nodiscard]] std::vector<LossyChoice> variedChoices(const graph::Document& document,
                                                     const graph::Catalog& catalog,
                                                     const std::string& node,
                                                     const std::vector<ui::Variation>& variations);

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
