#pragma once
// Node types and graphs of the tests of this library.

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <QString>

namespace lowtide::testing {

/// Checkpoint, Encode, Denoise, Decode, Sharpen, Save, and Offload, which passes on what it gets.
[[nodiscard]] std::vector<NodeDesc> someNodes();

/// load -> encode -> denoise -> decode -> save, with a node of a type that nobody knows and unknown
/// keys everywhere.
[[nodiscard]] graph::Document someGraph();
[[nodiscard]] QString someGraphText();

/// That many known nodes in a grid and twice as many wires, without circles.
[[nodiscard]] graph::Document largeGraph(int nodes);

/// The text of a document as QString, so that a failing comparison shows it.
[[nodiscard]] QString shown(const graph::Document& document);

}  // namespace lowtide::testing
