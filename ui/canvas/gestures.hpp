#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QLineF>
#include <QPainter>
#include <QPoint>
#include <QPointF>
#include <QRectF>

#include <functional>
#include <optional>
#include <vector>

namespace lowtide::ui {

/// By how much a moved rectangle is shifted so that it lines up, and the lines that show with what.
struct Snapped {
    QPointF shift;
    std::vector<QLineF> guides;
};

/// Edges and middles of `others` within `reach` win, else the grid; each axis on its own.
[[nodiscard]] Snapped snapped(const QRectF& moved,
                              const std::vector<QRectF>& others,
                              double grid,
                              double reach);

/// Where the pointer is.
struct PointerAt {
    QPointF scene;
    QPoint viewport;
    Qt::KeyboardModifiers modifiers;
    double zoom = 1;
};

/// What one press, drag and release does. It shows its effect while it lasts and changes the
/// document at its end, in one step.
class Gesture {
public:
    virtual ~Gesture() = default;
    virtual void move(const PointerAt& at) = 0;
    virtual void finish(const PointerAt& at) = 0;
    /// Escape: as if nothing had been.
    virtual void cancel() = 0;

    /// What lies over everything while it lasts, in canvas units.
    virtual void paint(QPainter&, double /*zoom*/) const {}

    /// Sentence at the pointer; empty: none.
    [[nodiscard]] virtual QString refusal() const { return {}; }
};

/// Asks for a node to put where a wire was let go over empty canvas.
using OpenSearch = std::function<void(const PointerAt& at, const WireEnd& held)>;

/// A press on a port: draws a new wire, or takes the end of the one that is there.
[[nodiscard]] std::unique_ptr<Gesture> dragWire(GraphScene& scene,
                                                const WireEnd& pressed,
                                                QPointF at,
                                                OpenSearch openSearch);
/// Moves what is selected: nodes but pinned ones, frames with their members, notes.
[[nodiscard]] std::unique_ptr<Gesture> dragSelected(GraphScene& scene, QPointF at, bool isSnapping);
/// Selects what the rectangle touches, in addition to what was selected where `isAdding`.
[[nodiscard]] std::unique_ptr<Gesture> rubberBand(GraphScene& scene, QPointF at, bool isAdding);
/// Moves one point through which a wire runs.
[[nodiscard]] std::unique_ptr<Gesture> dragReroute(GraphScene& scene, size_t wire, size_t point);
/// Moves the lower right corner of a frame or note.
[[nodiscard]] std::unique_ptr<Gesture> resizeBox(GraphScene& scene, const BoxItem& box, QPointF at);

/// Whether the row's value is a number that a drag may change; a seed is none.
[[nodiscard]] bool canDragValue(const RowFace& row);
/// Changes the number of a row as a number field does: Ctrl coarse, Shift fine. `item`: the node or
/// group that shows the row; `x`: of the press in the viewport.
[[nodiscard]] std::unique_ptr<Gesture> dragValue(GraphScene& scene,
                                                 const RowFace& row,
                                                 const std::string& item,
                                                 int x);

/// The grid to which things are drawn, in canvas units.
inline constexpr double kGrid = 8;

}  // namespace lowtide::ui
