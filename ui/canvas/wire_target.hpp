#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QPainter>

#include <optional>

namespace lowtide::ui {

/// The end of a wire that is held still while the other one is dragged.
struct WireEnd {
    graph::PortRef port;
    bool isOutput = true;
};

/// Where a dragged wire would end.
struct WireTarget {
    std::optional<graph::PortRef> port;  ///< none under the pointer
    QPointF at;
    QString refusal;  ///< why it may not end there; empty: it may
};

/// The port under the pointer; over the rest of a node, the first one there that takes the wire.
[[nodiscard]] WireTarget wireTargetAt(const GraphScene& scene,
                                      const WireEnd& held,
                                      QPointF point,
                                      double zoom);

/// Rings around all ports whose type fits.
void paintTargets(QPainter& painter, const GraphScene& scene, const WireEnd& held);

}  // namespace lowtide::ui
