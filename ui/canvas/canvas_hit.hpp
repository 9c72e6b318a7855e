#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <optional>

namespace lowtide::ui {

/// What lies under a point, topmost first: a node with its part, else a wire, else a box.
struct CanvasHit {
    NodeItem* node = nullptr;
    NodePartAt part;
    std::optional<size_t> wire;
    int reroute = -1;  ///< of the wire
    BoxItem* box = nullptr;
    BoxPart boxPart = BoxPart::None;

    [[nodiscard]] bool isEmpty() const { return node == nullptr && !wire && box == nullptr; }

    /// The port under the point; empty: none.
    [[nodiscard]] std::optional<graph::PortRef> port() const;
};

/// `zoom`: pixels of a canvas unit; ports and wires are as easy to hit at every zoom.
[[nodiscard]] CanvasHit hitAt(const GraphScene& scene, QPointF point, double zoom);

}  // namespace lowtide::ui
