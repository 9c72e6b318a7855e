#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"

#include <QGraphicsView>
#include <QKeySequence>
#include <QList>

#include <memory>
#include <set>
#include <string>

namespace lowtide::ui {

class CanvasElements;

/// The canvas: shows the graph and turns gestures into steps of the model. Everything that it can
/// do is also a public slot, for menus and keys.
class GraphView : public QGraphicsView {
    Q_OBJECT

public:
    /// All must outlive the view; `offered` may be nullptr.
    GraphView(GraphModel& model,
              NodeStatuses& statuses,
              const OfferedFiles* offered,
              QWidget* parent = nullptr);
    ~GraphView() override;

    /// New nodes begin with these values, and menus of rows change them; nullptr: none. They
    /// outlive the view.
    void setDefaults(NodeDefaults* defaults);
    /// Menus of rows offer varyRequested() from now on.
    void offerSheets();
    [[nodiscard]] std::set<std::string> selectedNodes() const;
    /// Of nodes as they are painted.
    [[nodiscard]] NodeSizes nodeSizes() const;
    /// Whether bypassing changes anything: a selected node can be bypassed, or is.
    [[nodiscard]] bool canBypassSelected() const;
    void select(const std::set<std::string>& nodes);
    /// What is in the middle, and how large; showState() brings it back.
    [[nodiscard]] ViewState viewState() const;
    void showState(const ViewState& viewState);
    /// Scrolls to the node and, where one is named, marks the port or row.
    void reveal(const std::string& node, const std::string& item = {});
    /// What assistive technology sees of the graph.
    [[nodiscard]] CanvasElements& elements();
    /// Opens the editor over a row; a switch is flipped.
    void editValue(const std::string& node, const std::string& param);
    /// Offers the wires that the port could have.
    void wirePort(const graph::PortRef& port, bool isOutput);
    void removeWire(const graph::PortRef& to);
    void selectWire(const graph::PortRef& to);
    void selectBox(BoxKind kind, const std::string& id);
    void toggleFrame(const std::string& id);  ///< folds it, or opens it again
    /// Other keys for a command of canvasCommands().
    void setKeys(const std::string& command, const QList<QKeySequence>& keys);

public Q_SLOTS:
    void openSearch();  ///< at the pointer, or the middle
    void removeSelected();
    void removeSelectedJoining();  ///< wires of what is removed are joined
    void copy();
    void cut();
    void paste();
    void pasteWithWires();
    void duplicate();
    void duplicateWithWires();
    void muteSelected();
    void bypassSelected();
    void showBypassPreview(bool isShown);  ///< of what is selected
    void collapseSelected();
    void pinSelected();
    void frameSelected();
    void addNote();
    void renameSelected();
    void wireSelected();                 ///< offers the wires that the one selected node could have
    void editSelected();                 ///< the values of the one node that is selected
    void showMenu();                     ///< of what is selected, or of the canvas
    void takeFocus();                    ///< keys are for the canvas
    void moveFocus(int direction);       ///< FocusDirection, to the node that lies there
    void moveAlongWires(int direction);  ///< FocusDirection, along the wires
    void alignSelected(int alignment);   ///< Alignment
    void distributeSelected(int axis);   ///< Axis
    void arrangeNodes();                 ///< the selected ones, or all
    void zoomIn();
    void zoomOut();
    void zoomToActual();
    void zoomToSelected();
    void zoomToAll();
    void keepBookmark(int number);  ///< 1 to 9: the view as it is, in the document
    void goToBookmark(int number);
    void goBack();     ///< to the view before the last jump
    void goForward();  ///< from where goBack() went
    void selectAllNodes();
    void setSnapping(bool isOn);
    /// For good; until then the minimap is there while something lies out of view.
    void setMinimapShown(bool isShown);

Q_SIGNALS:
    void selectionChanged();
    /// An image was clicked: the viewer shows it.
    void imageActivated(const std::string& node);
    void runToRequested(const std::string& node);
    /// A parameter of the node in several runs, side by side.
    void varyRequested(const std::string& node, const std::string& param);
    /// A file was dropped that is no image of a graph: the window decides.
    void fileDropped(const QString& path, const QPointF& scenePosition);
    /// The clipboard held an image: the window decides.
    void imagePasted(const QImage& image, const QPointF& scenePosition);
    /// Nothing was pasted; the sentence states why.
    void pasteRefused(const QString& sentence);
    void minimapShownChanged(bool isShown);
    /// Zoom in percent.
    void zoomChanged(double percent);

protected:
    bool viewportEvent(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lowtide::ui
