#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/file_target.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"

#include <QGraphicsView>
#include <QKeySequence>
#include <QList>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace lowtide::ui {

class CanvasElements;
class ViewNavigation;

/// The canvas: shows the graph and makes gestures into steps of the model.
class GraphView : public QGraphicsView {
    Q_OBJECT

public:
    /// What the view is made of; only sources of this folder see more of it.
    struct Parts;

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
    void setSnapping(bool isOn);
    /// Does what the command of canvasCommands() does; an unknown one is a bug of ours.
    void invoke(std::string_view command);
    /// Other keys for a command of canvasCommands().
    void setKeys(const std::string& command, const QList<QKeySequence>& keys);
    [[nodiscard]] std::set<std::string> selectedNodes() const;
    void select(const std::set<std::string>& nodes);
    /// Of nodes as they are painted.
    [[nodiscard]] NodeSizes nodeSizes() const;
    /// Also of those that are to be added; not to be asked once the view is gone.
    [[nodiscard]] CanvasSizes canvasSizes() const;
    /// The same where each has the width that it wants.
    [[nodiscard]] NodeSizes wantedNodeSizes() const;
    /// Whether bypassing changes anything: a selected node can be bypassed, or is.
    [[nodiscard]] bool canBypassSelected() const;
    void showBypassPreview(bool isShown);  ///< of what is selected
    /// Scrolls to the node and, where one is named, marks the port or row.
    void reveal(const std::string& node, const std::string& item = {});
    /// Frames the node, and its row or port of that name, while something is dragged that would
    /// end there; nothing: no longer.
    void pointOut(const std::optional<graph::PortRef>& taker);
    /// Zoom, bookmarks, the ways back and on again, the minimap.
    [[nodiscard]] ViewNavigation& navigation();
    /// What assistive technology sees of the graph.
    [[nodiscard]] CanvasElements& elements();

Q_SIGNALS:
    void selectionChanged();
    /// An image was clicked: the viewer shows it.
    void imageActivated(const std::string& node);
    void runToRequested(const std::string& node);
    /// A parameter of the node in several runs, side by side.
    void varyRequested(const std::string& node, const std::string& param);
    /// Files are dragged over the canvas, or no longer.
    void filesHovered(const QStringList& paths, const lowtide::ui::DropSpot& spot);
    void filesLeft();
    /// Files were dropped together, or pasted: the window decides.
    void filesDropped(const QStringList& paths, const lowtide::ui::DropSpot& spot);
    /// The clipboard held an image: the window decides.
    void imagePasted(const QImage& image, const lowtide::ui::DropSpot& spot);
    /// The clipboard held a workflow or settings of another program: the window opens them.
    void foreignPasted(const QString& text);
    /// Nothing was pasted; the sentence states why.
    void pasteRefused(const QString& sentence);

protected:
    bool event(QEvent* event) override;          ///< focus, released keys, the menu key
    bool viewportEvent(QEvent* event) override;  ///< the pointer, and what is dropped
    void keyPressEvent(QKeyEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void scrollContentsBy(int dx, int dy) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    std::unique_ptr<Parts> parts_;
};

}  // namespace lowtide::ui
