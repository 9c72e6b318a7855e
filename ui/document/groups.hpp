#pragma once

// Nodes that the canvas shows as one. A node names its group by the key "group", a group the one
// that it lies in by "parent"; so nothing lies in two. The engine sees nodes and wires alone.

#include "ui/document/arrange.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A port of a node in a group that the group shows, also without a wire that leaves the group.
struct GroupPort {
    graph::PortRef port;
    std::string label;  ///< empty: as the node calls it
};

struct Group {
    std::string id;
    std::string title;
    std::string parent;  ///< the group that it lies in; empty: none
    bool isFolded = false;
    std::vector<graph::PortRef> values;  ///< nodes and parameters that are shown while it is folded
    std::vector<GroupPort> inputs;
    std::vector<GroupPort> outputs;
};

/// The groups of a document as they can be read: what is damaged is left out. "Unit": a node or a
/// group, by id.
class Groups {
public:
    explicit Groups(const graph::Document& document);

    /// All that hold a node.
    [[nodiscard]] const std::map<std::string, Group>& all() const { return groups_; }

    [[nodiscard]] const Group* find(const std::string& id) const;  ///< nullptr: none
    /// The group that the unit lies in; empty: none.
    [[nodiscard]] const std::string& of(const std::string& unit) const;
    /// The groups around a unit, the outermost first.
    [[nodiscard]] std::vector<std::string> around(const std::string& unit) const;
    /// What lies in a group, or (empty) in none.
    [[nodiscard]] std::vector<std::string> unitsIn(const std::string& group) const;
    /// All nodes of a group, also those of groups in it. Of a node: itself.
    [[nodiscard]] NodeIds nodesIn(const std::string& unit) const;
    /// What the canvas shows of the unit: itself, or the outermost folded group around it.
    [[nodiscard]] std::string shownAs(const std::string& unit) const;
    /// The group of which these are all nodes, the outermost; nullptr: none. One node alone is
    /// meant for itself, unless it is folded away.
    [[nodiscard]] const Group* ofExactly(const NodeIds& nodes) const;
    /// The innermost group that holds all of these nodes; empty: none.
    [[nodiscard]] std::string commonOf(const NodeIds& nodes) const;

    /// Whether every node and group lies where it does there.
    [[nodiscard]] bool holdAlike(const Groups& other) const { return groupOf_ == other.groupOf_; }

    /// Something in the document names no group, or could not be read.
    [[nodiscard]] bool isDamaged() const { return isDamaged_; }

private:
    void readGroups(const graph::Document& document);
    void readNodes(const graph::Document& document);
    void cutCircles();
    void dropEmpty();

    std::map<std::string, Group> groups_;
    std::map<std::string, std::string> groupOf_;          ///< of each unit; empty: none
    std::map<std::string, std::vector<std::string>> in_;  ///< units by group
    bool isDamaged_ = false;
};

/// Makes nodes, and groups of which all nodes are named, one open group. Returns its id; empty:
/// there are less than two, or nothing else is in their group.
std::string addGroup(graph::Document& document, const NodeIds& nodes, const std::string& title);
/// Writes the group of this id; keys that are not known here are kept.
void putGroup(graph::Document& document, const Group& group);
/// What is in the group lies in the one around it.
void removeGroup(graph::Document& document, const std::string& id);
/// Puts each of these nodes, or the folded group that shows it, into the group around its own.
void takeOutOfGroup(graph::Document& document, const NodeIds& nodes);
/// Puts nodes, and groups of which all nodes are named as they are, into a group.
void moveIntoGroup(graph::Document& document, const NodeIds& nodes, const std::string& group);
/// Forgets groups that hold no node.
void removeEmptyGroups(graph::Document& document);
/// The group that a node names, readable or not.
[[nodiscard]] std::string groupNameOf(const graph::DocumentNode& node);
void setGroupName(graph::DocumentNode& node, const std::string& group);
[[nodiscard]] std::string freshGroupId(const graph::Document& document);

using BoxOfNode = std::function<NodeBox(const std::string& node)>;

/// Where a group is: the frame around what is in an open one; a folded one begins where its frame
/// would. `sizes`: of folded groups, by id.
[[nodiscard]] NodeBox groupBox(const Groups& groups,
                               const std::string& id,
                               const BoxOfNode& boxOf,
                               const NodeSizes& sizes);
/// The same of a unit, as the document has it.
[[nodiscard]] NodeBox unitBox(const graph::Document& document,
                              const Groups& groups,
                              const std::string& unit,
                              const NodeSizes& sizes);
/// Moves the unit to where the box is.
void moveUnit(graph::Document& document,
              const Groups& groups,
              const NodeBox& box,
              const NodeSizes& sizes);
/// Nodes and folded groups that the canvas shows.
[[nodiscard]] std::vector<NodeBox> shownBoxes(const graph::Document& document,
                                              const Groups& groups,
                                              const NodeSizes& sizes);
/// The graph as the canvas shows it, positions and wires alone: a node in place of each folded
/// group, with the wires that cross its border, whose ports have a nameInGroup().
[[nodiscard]] graph::Document shownGraph(const graph::Document& document,
                                         const Groups& groups,
                                         const NodeSizes& sizes);
/// The name of a port or value on a group, each its own.
[[nodiscard]] std::string nameInGroup(const graph::PortRef& port);
/// Moves nodes and bends wires as `edit` does to shownGraph().
void editShown(graph::Document& document,
               const NodeSizes& sizes,
               const std::function<void(graph::Document& shown)>& edit);

}  // namespace lowtide::ui
