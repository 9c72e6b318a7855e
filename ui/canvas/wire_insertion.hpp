#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QPainter>

#include <optional>
#include <string>

namespace lowtide::ui {

/// A node that would be put into a wire if it were dropped now.
struct Insertion {
    std::string node;
    graph::PortRef wireTo;  ///< names the wire
    std::string input;      ///< of the node
    std::string output;
};

/// Only a node without wires is put into one, and only where an input and an output fit.
[[nodiscard]] std::optional<Insertion> insertionAt(const GraphScene& scene,
                                                   const std::string& node,
                                                   QPointF pointer,
                                                   double zoom);

/// The two wires that would come to be.
void paintInsertion(QPainter& painter,
                    const GraphScene& scene,
                    const Insertion& insertion,
                    double zoom);

}  // namespace lowtide::ui
