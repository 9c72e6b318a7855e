#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/canvas/look.hpp"
#include "ui/canvas/navigation.hpp"
#include "ui/canvas/scene_items.hpp"
#include "ui/canvas/wire_layer.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/groups.hpp"

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

    /// Of a node or a group; nullptr: none.
    [[nodiscard]] NodeItem* node(const std::string& id) const;
    /// What shows a node or a group: its own item, or that of the folded group around it.
    [[nodiscard]] NodeItem* shownNode(const std::string& id) const;
    /// All that are shown, folded groups too: not what is folded away, nor within collapsed frames.
    [[nodiscard]] std::vector<NodeItem*> shownNodes() const;
    [[nodiscard]] NodeRects nodeRects() const;
    /// Of nodes alone, those of folded groups where the group is shown.
    [[nodiscard]] NodeRects wireableRects() const;
    /// Where wires of the port end, also while its node is folded away. The node must be there.
    [[nodiscard]] QPointF portInScene(const graph::PortRef& port, bool isOutput) const;

    [[nodiscard]] const Groups& groups() const { return groups_; }

    /// Frames around groups, by id; those of open ones are visible.
    [[nodiscard]] const std::map<std::string, BoxItem*>& groupFrames() const {
        return groupFrames_;
    }

    /// The innermost open group in whose frame the point lies, but those that hold one of the
    /// nodes, since their frames follow it; empty: none.
    [[nodiscard]] std::string openGroupAt(QPointF point, const NodeIds& without = {}) const;

    /// The node of which the item shows the image.
    [[nodiscard]] std::string imageNodeOf(const NodeItem& item) const;

    [[nodiscard]] WireLayer& wires() const { return *wires_; }

    [[nodiscard]] const std::vector<BoxItem*>& boxes() const { return boxes_; }

    [[nodiscard]] BoxItem* box(BoxKind kind, const std::string& id) const;
    /// Nodes that lie wholly within the frame.
    [[nodiscard]] std::vector<NodeItem*> membersOf(const BoxItem& frame) const;

    /// A folded group that is selected counts as its nodes, and is selected with one of them.
    [[nodiscard]] std::set<std::string> selectedNodes() const;
    void select(const std::set<std::string>& nodes);
    /// The one item that is selected; nullptr: none, or several.
    [[nodiscard]] NodeItem* onlySelected() const;
    void selectBoxes(BoxKind kind, const std::set<std::string>& ids);

    /// Shows folded inputs of the node that take a value of the type next to it, and those of no
    /// other; an empty id: of none.
    void offerFolded(const std::string& node, const std::string& type);

    /// Shows the document as it is, forgetting what a gesture showed.
    void reload();
    /// Computes the lines of these nodes' wires again while they are moved. Others remain until
    /// routeAllWires(): a node can be dropped on them.
    void routeWiresOf(const std::set<std::string>& nodes);
    /// Computes the lines again that end elsewhere, or near which a node is another one.
    void routeAllWires();
    /// With its ends where they are now, and around what is in its way.
    [[nodiscard]] Wire routed(Wire wire) const;
    /// Everything that is shown; null when nothing is.
    [[nodiscard]] QRectF contentRect() const;

Q_SIGNALS:
    /// Items were added, moved, removed or resized.
    void arranged();

private:
    /// What wires go around: nodes, and collapsed frames in the place of theirs.
    using Bodies = std::map<const QGraphicsItem*, QRectF>;

    /// Where a wire ends.
    struct WireEnds {
        const QGraphicsItem* from = nullptr;  ///< a node, or the frame that hides it
        const QGraphicsItem* to = nullptr;
        QPointF start{};
        QPointF end{};
        bool isHidden = true;
    };

    void take(const Delta& delta);
    /// Whether wires of other nodes follow.
    bool rebuildNodes(const std::set<std::string>& ids);
    /// Those around these nodes.
    bool rebuildGroups(const NodeIds& nodes);
    /// False: neither width, ports nor position differ from before.
    bool refresh(NodeItem*& item, const std::string& id, NodeFace face, QPointF point);
    /// Puts folded groups and frames of open ones where their nodes are.
    void followNodes();
    [[nodiscard]] bool isFoldedAway(const std::string& id) const;
    [[nodiscard]] NodeStatus statusOf(const std::string& id) const;
    /// Gives nodes the width that they want and have space for; false: all had it.
    bool fitWidths();
    void rebuildBoxes();
    void rebuildWires();
    void takeStatus(const std::string& id);
    void showStatuses(const std::vector<std::string>& units);
    void changeLook();
    void updateSceneRect();
    [[nodiscard]] Bodies bodies() const;
    [[nodiscard]] WireEnds endsOf(const Wire& wire) const;
    [[nodiscard]] Wire routedAround(Wire wire, const Bodies& bodies) const;
    [[nodiscard]] const BoxItem* hidingFrame(const std::string& node) const;
    /// Whether something was selected that is hidden now.
    bool hideMembers();
    /// Whether others are selected now.
    bool selectQuietly(const std::set<std::string>& nodes);

    GraphModel& model_;
    NodeStatuses& statuses_;
    std::unique_ptr<Look> look_;
    std::map<std::string, NodeItem*> nodes_;
    Groups groups_;
    std::map<std::string, NodeItem*> groupNodes_;  ///< of all groups, shown while they are folded
    std::map<std::string, BoxItem*> groupFrames_;
    std::map<std::string, LinkedPorts> linked_;
    std::vector<BoxItem*> boxes_;
    std::map<std::string, const BoxItem*> hiddenBy_;
    std::string offering_;  ///< the node of offerFolded()
    WireLayer* wires_;
    Bodies routedAround_;  ///< when all wires were routed
};

/// What lies under a point, topmost first: a node with its part, else a wire, else a box.
struct CanvasHit {
    NodeItem* node = nullptr;
    NodePartAt part;
    std::optional<size_t> wire;
    int reroute = -1;  ///< of the wire
    BoxItem* box = nullptr;
    std::string group;  ///< of which this is the title or the mark on its frame; empty: none
    BoxPart boxPart = BoxPart::None;  ///< of the box or that frame

    /// The port under the point; empty: none.
    [[nodiscard]] std::optional<graph::PortRef> port() const;
    /// The row under the point; nullptr: none.
    [[nodiscard]] const RowFace* row() const;
};

/// `zoom`: pixels of a canvas unit; ports and wires are as easy to hit at every zoom.
[[nodiscard]] CanvasHit hitAt(const GraphScene& scene, QPointF point, double zoom);

}  // namespace lowtide::ui
