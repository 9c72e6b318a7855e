#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/canvas/navigation.hpp"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A wire that could be drawn between a node and another one.
struct WireChoice {
    graph::PortRef from;
    graph::PortRef to;
    QString text;  ///< "Latent → Decode: Latent", or "Model ← Load model: Model"
    std::string type;
    bool isReplacing = false;  ///< the input has another wire
};

/// One port of the node that asks.
struct OwnPort {
    std::string port;
    bool isOutput = false;
};

/// Wires from the outputs of the node, then wires into its inputs; of each free inputs first, then
/// the nearest other node. All words of the pattern must be in the text. Wires that are there, or
/// that wireRefusal() refuses, are left out; so is everything beyond the first sixty. `own`: only
/// wires of that port of the node.
[[nodiscard]] std::vector<WireChoice> wireChoices(const graph::Document& document,
                                                  const graph::Catalog& catalog,
                                                  const NodeRects& rects,
                                                  const std::string& node,
                                                  const QString& pattern,
                                                  const std::optional<OwnPort>& own = {});

}  // namespace lowtide::ui
