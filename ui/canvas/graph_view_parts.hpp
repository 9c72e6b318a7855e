#pragma once

#include "ui/canvas/canvas_commands.hpp"
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/gestures.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/in_place_editing.hpp"
#include "ui/canvas/pick_popup.hpp"
#include "ui/canvas/viewport.hpp"
#include "ui/document/arrange.hpp"

#include <optional>

namespace lowtide::ui {

class CanvasElements;

/// What the view is made of, for its .cpp files only.
struct GraphView::Parts {
    Parts(GraphView& owner, GraphModel& model, NodeStatuses& statuses, const OfferedFiles* offered);

    /// A press whose meaning shows when it moves or is let go.
    struct Press {
        CanvasHit hit;
        QPoint viewport;
        QPointF scene;
        std::string node;  ///< of the hit: items may go before the release
        std::string param;
        bool wasSelected = false;
        bool isNumber = false;  ///< a drag changes the value
    };

    /// A key that is down: a drag moves the canvas.
    struct HeldKey {
        int key;
        const CanvasCommand* command;
    };

    [[nodiscard]] PointerAt pointerAt(QPoint viewport, Qt::KeyboardModifiers modifiers) const;

    [[nodiscard]] double zoom() const { return view.transform().m11(); }

    [[nodiscard]] NodeSizes nodeSizes() const;

    // The pointer.
    void pressLeft(const PointerAt& at);
    void pressNode(const CanvasHit& hit, const PointerAt& at);
    void pressBox(const CanvasHit& hit, const PointerAt& at);
    void beginDrag(const PointerAt& at);
    void toggleSelected(const std::string& node);
    void click(const PointerAt& at);
    void doubleClick(const PointerAt& at);
    void hover(const PointerAt& at);
    void leave();
    void forgetGesture();
    void startPan(QPoint viewport);
    [[nodiscard]] QString tipFor(const CanvasHit& hit) const;

    /// The pointer, or the middle while it is elsewhere.
    [[nodiscard]] QPoint pointerOrMiddle() const;

    // Zoom.
    void zoomAbout(QPointF viewport, double zoom);
    void fit(const QRectF& rect);
    /// All of the graph, also after the view got another size, until the user moves it.
    void fitAll();
    void pan(QPoint by);
    [[nodiscard]] ViewState viewState() const;
    void show(const ViewState& viewState);
    /// The view is about to jump: goBack() comes back to here.
    void leaveSlot();

    // Adding.
    void openSearch(const PointerAt& at, const std::optional<LooseWire>& wire);
    void add(const std::string& type, const std::string& port);
    void paintLooseWire(QPainter& painter) const;
    void paintOfferedWire(QPainter& painter) const;

    // Editing.
    void removeSelected(bool heal);
    /// Selected nodes that can be bypassed, or are.
    [[nodiscard]] NodeIds bypassable() const;
    /// Errors: as pasteText().
    void insertText(const std::string& text, QPointF at, const QString& step);
    void pasteGraph(const QMimeData& data, QPointF at, bool withWires);
    void paste(bool withWires);
    void toggleBoxFold(const BoxItem& box);
    void toggleReroute(size_t wire, int reroute, QPointF at);
    void moveFocus(FocusDirection direction, bool isAlongWires);
    void hold(const CanvasCommand& command, const QKeyEvent& event);

    NodeDefaults* defaults = nullptr;
    bool offersSheets = false;
    bool showsAll = false;
    GraphView& view;
    GraphModel& model;
    NodeStatuses& statuses;
    GraphScene scene;
    RowEditing rows;
    TextEditing texts;
    SearchPopup search;
    WirePopup wiring;
    Minimap minimap;
    PointerTip tip;
    CanvasKeys keys;
    ViewHistory history;
    std::unique_ptr<Gesture> gesture;
    std::optional<Press> press;
    std::optional<LooseWire> looseWire;
    std::optional<graph::PortRef> selectedWire;  ///< by its input
    std::optional<QPoint> panFrom;
    std::optional<QPoint> pointer;  ///< of the viewport, while it is over the canvas
    QPointF addAt;
    std::string hoveredNode;
    std::string markedNode;
    bool isSnapping = true;
    bool showsBypass = false;  ///< what bypassing the selected nodes would do
    std::optional<HeldKey> heldKey;
    bool hasPanned = false;
    bool showsFocus = false;  ///< the focus came by a key, and has to be seen
    std::unique_ptr<CanvasElements> elements;
};

/// Menu of what was hit, ready to be shown; the caller owns it.
[[nodiscard]] QMenu* canvasMenu(GraphView& view,
                                GraphScene& scene,
                                const CanvasHit& hit,
                                NodeDefaults* defaults);

}  // namespace lowtide::ui
