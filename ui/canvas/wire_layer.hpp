#pragma once

#include "plugin/graph/document.hpp"
#include "ui/canvas/look.hpp"
#include "ui/canvas/wire_path.hpp"

#include <QGraphicsItem>

#include <optional>
#include <set>
#include <vector>

namespace lowtide::ui {

/// One wire as it is drawn.
struct Wire {
    graph::PortRef from;
    graph::PortRef to;
    std::string type;
    std::vector<QPointF> via;
    QPointF start;
    QPointF end;
    WirePath path;
    bool isFaint = false;   ///< of a muted node: nothing flows
    bool isHidden = false;  ///< within a collapsed frame
};

/// All wires as one item: a graph has twice as many wires as nodes, and the scene's own bookkeeping
/// for each would cost more than painting it. Lies above frames and below nodes.
class WireLayer : public QGraphicsItem {
public:
    explicit WireLayer(const Look& look);

    void setWires(std::vector<Wire> wires);
    /// Replaces the lines of the wires that `moves` gives anew; their order stays.
    void replace(size_t index, Wire wire);

    [[nodiscard]] const std::vector<Wire>& wires() const { return wires_; }

    [[nodiscard]] const Wire* into(const graph::PortRef& to) const;  ///< nullptr: none
    /// The nearest wire within `reach`; empty: none.
    [[nodiscard]] std::optional<size_t> wireAt(QPointF point, double reach) const;

    /// Wires that stand out while the others are dimmed; empty: all alike.
    void setEmphasised(std::set<size_t> wires);
    /// Wires of these ports stand out.
    void emphasisePort(const graph::PortRef& port, bool isOutput);
    /// Not painted: its end is being dragged.
    void setLifted(const std::optional<graph::PortRef>& to);

    [[nodiscard]] QRectF boundingRect() const override { return bounds_; }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintWire(QPainter& painter, const Wire& wire, bool stands, double zoom) const;

    const Look& look_;
    std::vector<Wire> wires_;
    std::set<size_t> emphasised_;
    std::optional<graph::PortRef> lifted_;
    QRectF bounds_;
};

}  // namespace lowtide::ui
