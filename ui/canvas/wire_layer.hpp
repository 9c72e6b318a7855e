#pragma once

#include "plugin/graph/document.hpp"
#include "ui/canvas/look.hpp"
#include "ui/canvas/wire_path.hpp"

#include <QGraphicsItem>
#include <QPointF>
#include <QRectF>

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
    int track = 0;  ///< keeps detours of different sources apart
    QPointF start;
    QPointF end;
    WirePath path;
    bool isFaint = false;   ///< of a muted node: nothing flows
    bool isHidden = false;  ///< within a collapsed frame
};

/// A wire that is not there yet, straight from port to port: dashed until it is sure where it goes.
void paintTentativeWire(QPainter& painter,
                        QPointF from,
                        QPointF to,
                        const QColor& colour,
                        double width = 2.5,
                        Qt::PenStyle style = Qt::DashLine);

/// All wires as one item: a graph has twice as many wires as nodes, and the scene's own bookkeeping
/// for each would cost more than painting it. Lies above frames and below nodes.
class WireLayer : public QGraphicsItem {
public:
    explicit WireLayer(const Look& look);

    void setWires(std::vector<Wire> wires);
    /// Puts the wire in the place of another one with the same ends.
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
    /// How a wire is painted now.
    struct Stroke {
        QColor colour;
        double width = 0;
        bool isDimmed = false;
    };

    [[nodiscard]] Stroke strokeOf(size_t index) const;
    void paintFar(QPainter& painter, const std::vector<size_t>& shown, double zoom) const;
    void paintNear(QPainter& painter, const std::vector<size_t>& shown) const;
    void paintLine(QPainter& painter, size_t index) const;

    const Look& look_;
    std::vector<Wire> wires_;
    std::vector<size_t> bySource_;  ///< order of painting: wires of one source side by side
    std::set<size_t> emphasised_;
    std::optional<graph::PortRef> lifted_;
    QRectF bounds_;
};

}  // namespace lowtide::ui
