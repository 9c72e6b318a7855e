#pragma once

#include "ui/canvas/breadcrumbs.hpp"
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
    /// The pointer, or the middle while it is elsewhere.
    [[nodiscard]] QPoint pointerOrMiddle() const;

    /// For what is let go there.
    [[nodiscard]] DropSpot spotAt(const PointerAt& at) const;
    /// At the pointer; the middle of the view while it is elsewhere.
    [[nodiscard]] DropSpot spotOfPointer() const;

    // The pointer. False: the event is not one of these.
    bool takePointer(QEvent& event);
    bool takeDrop(QEvent& event);
    void mousePressed(const QMouseEvent& event);
    void mouseMoved(const QMouseEvent& event);
    void mouseReleased(const QMouseEvent& event);
    void doubleClick(const QMouseEvent& event);
    void wheelMoved(const QWheelEvent& event);
    void openMenu(const QContextMenuEvent& event);
    void showTip(const QHelpEvent& event);
    void pressLeft(const PointerAt& at);
    void pressNode(const CanvasHit& hit, const PointerAt& at);
    void pressBox(const CanvasHit& hit, const PointerAt& at);
    void pressGroup(const CanvasHit& hit, const PointerAt& at);
    void pressGround(const PointerAt& at);
    void beginDrag(const PointerAt& at);
    void toggleSelected(const std::string& node);
    void click(const PointerAt& at);
    void hover(const PointerAt& at);
    void offerFoldedAt(const CanvasHit& hit);
    void leave();
    void forgetGesture();
    [[nodiscard]] QString tipFor(const CanvasHit& hit) const;

    // Keys.
    bool letGo(const QKeyEvent& event);
    void focusMoved(const QFocusEvent& event);

    /// Editors lie over what they edit.
    void moveEditors();

    // Adding.
    void openSearch(const PointerAt& at, const std::optional<WireEnd>& held);
    void add(const std::string& type, const std::string& port);
    void paintLooseWire(QPainter& painter) const;
    void paintOfferedWire(QPainter& painter) const;
    void paintTaker(QPainter& painter) const;

    // Editing.
    /// Selected nodes that can be bypassed, or are.
    [[nodiscard]] NodeIds bypassable() const;
    void toggleBoxFold(const BoxItem& box);
    void setGroupFolded(const std::string& group, bool isFolded);
    /// Of what is selected; nullptr: that is no group.
    [[nodiscard]] const Group* selectedGroup() const;
    /// Notes in which group the user works: that of what is selected, else the one before, unless
    /// the ground elsewhere was pressed.
    void showPath();
    /// Folds what is open within the group, or (empty) the graph, and leads to where the user
    /// works.
    void leaveTo(const std::string& group);
    void toggleReroute(size_t wire, int reroute, QPointF at);

    NodeDefaults* defaults = nullptr;
    bool offersSheets = false;
    GraphView& view;
    GraphModel& model;
    NodeStatuses& statuses;
    GraphScene scene;
    RowEditing rows;
    TextEditing texts;
    SearchPopup search;
    WirePopup wiring;
    ViewNavigation navigation;
    PointerTip tip;
    Breadcrumbs breadcrumbs;
    CanvasKeys keys;
    std::unique_ptr<Gesture> gesture;
    std::optional<Press> press;
    std::optional<WireEnd> looseWire;            ///< let go over empty canvas: its end that is held
    std::optional<graph::PortRef> selectedWire;  ///< by its input
    std::optional<QPoint> panFrom;
    std::optional<QPoint> pointer;  ///< of the viewport, while it is over the canvas
    QPointF addAt;
    std::string within;  ///< the open group in which the user works; empty: none
    std::string hoveredNode;
    std::string markedNode;
    std::optional<graph::PortRef> taker;  ///< of what is dragged over the window
    bool isSnapping = true;
    bool showsBypass = false;  ///< what bypassing the selected nodes would do
    std::optional<HeldKey> heldKey;
    bool hasPanned = false;
    bool showsFocus = false;  ///< the focus came by a key, and has to be seen
    std::unique_ptr<CanvasElements> elements;
};

/// Menu of what was hit, ready to be shown; the caller owns it.
[[nodiscard]] QMenu* canvasMenu(GraphView::Parts& parts, const CanvasHit& hit);

}  // namespace lowtide::ui
