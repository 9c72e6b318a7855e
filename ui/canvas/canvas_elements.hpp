#pragma once

#include "plugin/graph/document.hpp"
#include "ui/canvas/canvas_element.hpp"
#include "ui/canvas/graph_view.hpp"

#include <QPointer>
#include <QTimer>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::ui {

/// Every node of the graph, those that feed others before them; nodes that could run at the same
/// time in the order of their ids. Nodes of a circle come last.
[[nodiscard]] std::vector<std::string> runOrder(const graph::Document& document);

/// The elements of one canvas that assistive technology has asked for. Notifies it when nodes come
/// and go, names, values and descriptions change, or the selection moves, and of progress at most
/// once a second. Does nothing until somebody asks.
class CanvasElements : public QObject {
    Q_OBJECT

public:
    /// The parts must outlive it.
    explicit CanvasElements(GraphView::Parts& parts);
    ~CanvasElements() override;

    [[nodiscard]] GraphView& view() const { return view_; }

    [[nodiscard]] GraphScene& scene() const { return scene_; }

    /// Nodes and folded groups in run order, then open groups, frames and notes: all that are
    /// shown.
    [[nodiscard]] const std::vector<ElementKey>& top() const;
    [[nodiscard]] bool isThere(const ElementKey& key) const;

    /// It is gone, and its removal is being reported.
    [[nodiscard]] bool isLeaving(const ElementKey& key) const { return leaving_ == key; }

    /// nullptr: there is no such thing.
    [[nodiscard]] QAccessibleInterface* at(const ElementKey& key);
    /// The one node that is selected, which has the focus while the canvas has it.
    [[nodiscard]] std::optional<ElementKey> current() const;
    /// Reports that current() has the focus.
    void announceFocus();

    // What a pointer would do at one place.
    /// The menu of what is selected, or of the canvas.
    void showMenu();
    /// Opens the editor over a row; a switch is flipped.
    void editValue(const ElementKey& row);
    /// Offers the wires that the port could have.
    void wirePort(const graph::PortRef& port, bool isOutput);
    void removeWire(const graph::PortRef& to);
    void selectWire(const graph::PortRef& to);
    void selectBox(const ElementKey& box);
    void toggleFrame(const std::string& id);  ///< folds it, or opens it again

private:
    struct Reported {
        QAccessible::Id id = 0;
        ElementFace face;  ///< as it was reported last
    };

    void take(const Delta& delta);
    void takeSelection();
    void announceNode(const std::string& node);
    void announceRewired();
    void announceBoxes();
    void announceChanges(const ElementKey& key, Reported& reported);
    void forget(const ElementKey& key);
    void forgetGone();
    void forgetAll();

    GraphView::Parts& parts_;
    GraphView& view_;
    GraphScene& scene_;
    std::map<ElementKey, Reported> reported_;
    std::optional<ElementKey> leaving_;
    mutable std::optional<std::vector<ElementKey>> top_;
    std::set<std::pair<graph::PortRef, graph::PortRef>> wires_;  ///< as reported last
    std::set<std::string> selected_;
    std::set<std::string> waiting_;  ///< nodes whose status is to be reported
    QTimer soon_;
};

/// Makes canvases known to Qt's accessibility: a list of nodes in run order, frames and notes.
void installCanvasAccess();

}  // namespace lowtide::ui
