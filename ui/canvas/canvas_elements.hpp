#pragma once

#include "plugin/graph/document.hpp"
#include "ui/canvas/canvas_element.hpp"

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

/// The elements of one canvas that assistive technology has asked for, and what it is told of
/// them: nodes come and go, names, values and descriptions change, the selection moves. Progress is
/// told at most once a second. Does nothing until somebody asks.
class CanvasElements : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    CanvasElements(GraphView& view, GraphScene& scene, NodeStatuses& statuses);
    ~CanvasElements() override;

    [[nodiscard]] GraphView& view() const { return view_; }

    [[nodiscard]] GraphScene& scene() const { return scene_; }

    /// Nodes in run order, then frames, then notes: all that are shown.
    [[nodiscard]] const std::vector<ElementKey>& top() const;
    [[nodiscard]] bool isThere(const ElementKey& key) const;

    /// It is gone, and its end is being told.
    [[nodiscard]] bool isLeaving(const ElementKey& key) const { return leaving_ == key; }

    /// nullptr: there is no such thing.
    [[nodiscard]] QAccessibleInterface* at(const ElementKey& key);
    /// The one node that is selected, which has the focus while the canvas has it.
    [[nodiscard]] std::optional<ElementKey> current() const;
    /// Tells that current() has the focus.
    void tellFocus();

private:
    /// What was told of an element last.
    struct Told {
        QAccessible::Id id = 0;
        QString name, description, value;
    };

    void take(const Delta& delta);
    void takeSelection();
    void tellNode(const std::string& node);
    void tellRewired();
    void tellBoxes();
    void tellChanges(const ElementKey& key, Told& told);
    void forget(const ElementKey& key);
    void forgetGone();
    void forgetAll();

    GraphView& view_;
    GraphScene& scene_;
    std::map<ElementKey, Told> told_;
    std::optional<ElementKey> leaving_;
    mutable std::optional<std::vector<ElementKey>> top_;
    std::set<std::pair<graph::PortRef, graph::PortRef>> wires_;  ///< when they were told last
    std::set<std::string> selected_;
    std::set<std::string> waiting_;  ///< nodes whose status is to be told
    QTimer soon_;
};

/// Makes canvases known to Qt's accessibility: a list of nodes in run order, frames and notes.
void installCanvasAccess();

}  // namespace lowtide::ui
