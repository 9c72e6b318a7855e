#pragma once

// Layered drawing of a graph (Sugiyama, Tagawa, Toda 1981): what stands in which layer, and in
// which order. Knows numbers only.

#include "ui/document/edits.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace lowtide::ui {

using Edge = std::pair<size_t, size_t>;

/// The vertices 0 .. count - 1, each behind all that lead to it, otherwise by number. Where only
/// circles are left, the first of them begins.
[[nodiscard]] std::vector<size_t> topologicalOrder(size_t count, const std::vector<Edge>& edges);

/// Vertices 0 .. realCount - 1 are those that were asked for; the ones behind them are bends of
/// edges that cross layers.
struct Layers {
    size_t realCount = 0;
    std::vector<size_t> layerOf;
    std::vector<std::vector<size_t>> order;         ///< of each layer, from top to bottom
    std::vector<std::vector<size_t>> predecessors;  ///< one layer before
    std::vector<std::vector<size_t>> successors;    ///< one layer behind
    std::vector<std::vector<size_t>> bendsOf;       ///< of each edge that was given
};

/// Each vertex behind its longest path, those that nothing feeds next to what they feed; few
/// crossings by sweeps of barycentres. Edges that close a circle are left out. The same input gives
/// the same layers.
[[nodiscard]] Layers makeLayers(size_t vertexCount, const std::vector<Edge>& edges);

/// Crossings between neighbouring layers.
[[nodiscard]] size_t crossingsOf(const Layers& layers);

/// Where the vertices of layers lie, bends too. The top left corner of all but bends is (0, 0).
struct LayerPositions {
    std::vector<Point> topLefts;
    std::vector<Point> columns;  ///< of each layer: left and right end
    double height = 0;
};

/// Columns from left to right, in each the vertices of one layer without overlap and as near to
/// the height of their neighbours as that allows.
[[nodiscard]] LayerPositions positionLayers(const Layers& layers, const std::vector<Point>& sizes);

/// How far below the top of a node its wires end, as far as an arrangement cares.
[[nodiscard]] double wireHeight(Point size);

}  // namespace lowtide::ui
