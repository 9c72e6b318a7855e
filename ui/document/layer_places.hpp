#pragma once

#include "ui/document/edits.hpp"
#include "ui/document/layers.hpp"

namespace lowtide::ui {

/// Where the vertices of layers lie, bends too. The top left corner of all but bends is (0, 0).
struct LayerPlaces {
    std::vector<Point> topLefts;
    std::vector<Point> columns;  ///< of each layer: left and right end
    double height = 0;
};

/// Columns from left to right, in each the vertices of one layer without overlap and as near to
/// the height of their neighbours as that allows.
[[nodiscard]] LayerPlaces placeLayers(const Layers& layers, const std::vector<Point>& sizes);

/// How far below the top of a node its wires end, as far as an arrangement cares.
[[nodiscard]] double wireHeight(Point size);

}  // namespace lowtide::ui
