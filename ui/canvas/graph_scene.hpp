#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/canvas/look.hpp"
#include "ui/canvas/navigation.hpp"
#include "ui/canvas/scene_items.hpp"
#include "ui/canvas/wire_layer.hpp"
#include "ui/document/graph_model.hpp"

#include <QGraphicsScene>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// The items of the canvas, kept in step with the document and the statuses. Reads only.
class GraphScene : public QGraphicsScene {
    Q_OBJECT

public:
    /// Both must outlive the scene.
    GraphScene(GraphModel& model, NodeStatuses& statuses, QObject* parent = nullptr);
    ~GraphScene() override;

    [[nodiscard]] GraphModel& model() const { return model_; }

    [[nodiscard]] const Look& look() const { return *look_; }

    [[nodiscard]] NodeItem* node(const std::string& id) const;  ///< nullptr: none
    /// All that are shown: not those within collapsed frames.
    [[nodiscard]] std::vector<NodeItem*> shownNodes() const;
    [[nodiscard]] NodeRects nodeRects() const;

    [[nodiscard]] WireLayer& wires() const { return *wires_; }

    [[nodiscard]] const std::vector<BoxItem*>& boxes() const { return boxes_; }

    [[nodiscard]] BoxItem* box(BoxKind kind, const std::string& id) const;
    /// Nodes that lie wholly within the frame.
    [[nodiscard]] std::vector<NodeItem*> membersOf(const BoxItem& frame) const;

    [[nodiscard]] std::set<std::string> selectedNodes() const;
    void select(const std::set<std::string>& nodes);
    void selectBoxes(BoxKind kind, const std::set<std::string>& ids);

    /// Shows folded inputs of the node that take a value of the type next to it, and those of no
    /// other; an empty id: of none.
    void offerFolded(const std::string& node, const std::string& type);

    /// Shows the document as it is, forgetting what a gesture showed.
    void reload();
    /// Computes the lines of these nodes' wires again, straight or around others.
    void routeWiresOf(const std::set<std::string>& nodes);
    void routeAllWires();
    /// Everything that is shown; null when nothing is.
    [[nodiscard]] QRectF contentRect() const;

Q_SIGNALS:
    /// Items were added, moved, removed or resized.
    void arranged();

private:
    void take(const Delta& delta);
    /// Whether wires of other nodes follow.
    bool rebuildNodes(const std::set<std::string>& ids);
    /// Gives nodes the width that they want and have space for; false: all had it.
    bool fitWidths();
    void rebuildBoxes();
    void rebuildWires();
    void takeStatus(const std::string& id);
    void changeLook();
    void updateSceneRect();
    [[nodiscard]] Wire routed(Wire wire, int track) const;
    [[nodiscard]] const BoxItem* hidingFrame(const std::string& node) const;
    void hideMembers();

    GraphModel& model_;
    NodeStatuses& statuses_;
    std::unique_ptr<Look> look_;
    std::map<std::string, NodeItem*> nodes_;
    std::map<std::string, LinkedPorts> linked_;
    std::vector<BoxItem*> boxes_;
    std::map<std::string, const BoxItem*> hiddenBy_;
    std::string offering_;  ///< the node of offerFolded()
    WireLayer* wires_;
    std::vector<QRectF> obstacles_;
    std::vector<std::string> obstacleIds_;
};

/// What lies under a point, topmost first: a node with its part, else a wire, else a box.
struct CanvasHit {
    NodeItem* node = nullptr;
    NodePartAt part;
    std::optional<size_t> wire;
    int reroute = -1;  ///< of the wire
    BoxItem* box = nullptr;
    BoxPart boxPart = BoxPart::None;

    /// The port under the point; empty: none.
    [[nodiscard]] std::optional<graph::PortRef> port() const;
    /// The row under the point; nullptr: none.
    [[nodiscard]] const RowFace* row() const;
};

/// `zoom`: pixels of a canvas unit; ports and wires are as easy to hit at every zoom.
[[nodiscard]] CanvasHit hitAt(const GraphScene& scene, QPointF point, double zoom);

}  // namespace lowtide::ui
