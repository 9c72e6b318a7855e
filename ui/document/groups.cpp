#include "ui/document/groups.hpp"

#include "ui/document/json_members.hpp"
#include "ui/document/patch.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace lowtide::ui {

namespace {

constexpr const char* kGroup = "group";
constexpr const char* kParent = "parent";
constexpr size_t kMostDepth = 32;  ///< of groups in groups: files may hold anything
constexpr double kGroupPadding = 16;
constexpr double kGroupTitle = 48;  ///< title and space below it

std::optional<graph::PortRef> memberFrom(const Json& json) {
    graph::PortRef member{textIn(json, "node"), textIn(json, "item")};
    return member.node.empty() || member.port.empty() ? std::nullopt : std::optional(member);
}

Json jsonOfMember(const graph::PortRef& member) {
    return {{"node", member.node}, {"item", member.port}};
}

std::vector<GroupPort> groupPortsFrom(const Json& list) {
    std::vector<GroupPort> ports;
    for (const Json& entry : list.is_array() ? list : Json::array()) {
        if (const auto port = memberFrom(entry)) {
            ports.push_back({.port = *port, .label = textIn(entry, "label")});
        }
    }
    return ports;
}

Json jsonOfPorts(const std::vector<GroupPort>& ports) {
    Json list = Json::array();
    for (const GroupPort& port : ports) {
        list.push_back(jsonOfMember(port.port));
        if (!port.label.empty()) {
            list.back()["label"] = port.label;
        }
    }
    return list;
}

Group groupFrom(const Json& json) {
    Group group{.id = textIn(json, "id"),
                .title = textIn(json, "title"),
                .parent = textIn(json, kParent),
                .isFolded = memberIn(json, "folded") == true,
                .values = {},
                .inputs = groupPortsFrom(memberIn(json, "inputs")),
                .outputs = groupPortsFrom(memberIn(json, "outputs"))};
    for (const GroupPort& value : groupPortsFrom(memberIn(json, "values"))) {
        group.values.push_back(value.port);
    }
    return group;
}

void putOrErase(Json& json, const char* key, Json value) {
    if (value.empty() || value == "") {
        json.erase(key);
    } else {
        json[key] = std::move(value);
    }
}

void writeGroup(Json& json, const Group& group) {
    Json values = Json::array();
    for (const graph::PortRef& value : group.values) {
        values.push_back(jsonOfMember(value));
    }
    json["id"] = group.id;
    json["title"] = group.title;
    putOrErase(json, kParent, group.parent);
    setFlag(json, "folded", group.isFolded);
    putOrErase(json, "values", std::move(values));
    putOrErase(json, "inputs", jsonOfPorts(group.inputs));
    putOrErase(json, "outputs", jsonOfPorts(group.outputs));
}

/// Puts a node or group into a group.
void setGroupOf(graph::Document& document,
                const Groups& groups,
                const std::string& unit,
                const std::string& group) {
    if (const Group* found = groups.find(unit)) {
        Group moved = *found;
        moved.parent = group;
        putGroup(document, moved);
    } else {
        setGroupName(document.nodes.at(unit), group);
    }
}

/// The node, or the outermost group below `common` of which all nodes are named.
std::string unitToGroup(const Groups& groups,
                        const std::string& node,
                        const NodeIds& nodes,
                        size_t depth) {
    const std::vector<std::string> around = groups.around(node);
    for (size_t level = depth; level < around.size(); ++level) {
        if (std::ranges::includes(nodes, groups.nodesIn(around[level]))) {
            return around[level];
        }
    }
    return node;
}

}  // namespace

Groups::Groups(const graph::Document& document) {
    if (document.groups.is_null()) {
        for (const auto& [id, node] : document.nodes) {
            in_[{}].push_back(id);
        }
        return;
    }
    readGroups(document);
    cutCircles();
    readNodes(document);
    dropEmpty();
    for (const auto& [id, group] : groups_) {
        groupOf_[id] = group.parent;
    }
    for (const auto& [unit, group] : groupOf_) {
        in_[group].push_back(unit);
    }
}

void Groups::readGroups(const graph::Document& document) {
    isDamaged_ = !document.groups.is_array();
    for (const Json& entry : document.groups.is_array() ? document.groups : Json::array()) {
        Group group = groupFrom(entry);
        const std::string id = group.id;
        if (id.empty() || document.nodes.contains(id) ||
            !groups_.emplace(id, std::move(group)).second) {
            isDamaged_ = true;
        }
    }
}

/// The first group of a circle lies in none, and neither does one that lies too deep.
void Groups::cutCircles() {
    for (auto& [id, group] : groups_) {
        std::string at = group.parent;
        for (size_t step = 0; !at.empty() && at != id && step < kMostDepth; ++step) {
            const Group* parent = find(at);
            at = parent ? parent->parent : id;  // an unknown one is as bad
        }
        if (!at.empty()) {
            group.parent.clear();
            isDamaged_ = true;
        }
    }
}

void Groups::readNodes(const graph::Document& document) {
    for (const auto& [id, node] : document.nodes) {
        const std::string name = groupNameOf(node);
        const bool isKnown = name.empty() || groups_.contains(name);
        groupOf_[id] = isKnown ? name : std::string();
        isDamaged_ = isDamaged_ || !isKnown;
    }
}

void Groups::dropEmpty() {
    NodeIds full;
    for (const auto& [node, group] : groupOf_) {
        for (const Group* at = find(group); at && full.insert(at->id).second;) {
            at = find(at->parent);
        }
    }
    std::erase_if(groups_, [&](const auto& entry) { return !full.contains(entry.first); });
    for (auto& entry : groups_) {
        Group& group = entry.second;
        const auto isElsewhere = [&](const graph::PortRef& member) {
            const std::vector<std::string> outer = around(member.node);
            return std::ranges::find(outer, group.id) == outer.end();
        };
        std::erase_if(group.values, isElsewhere);
        const auto isPortElsewhere = [&](const GroupPort& port) { return isElsewhere(port.port); };
        std::erase_if(group.inputs, isPortElsewhere);
        std::erase_if(group.outputs, isPortElsewhere);
    }
}

const Group* Groups::find(const std::string& id) const {
    const auto found = groups_.find(id);
    return found == groups_.end() ? nullptr : &found->second;
}

const std::string& Groups::of(const std::string& unit) const {
    static const std::string none;
    if (const Group* group = find(unit)) {
        return group->parent;
    }
    const auto found = groupOf_.find(unit);
    return found == groupOf_.end() ? none : found->second;
}

std::vector<std::string> Groups::around(const std::string& unit) const {
    std::vector<std::string> groups;
    for (std::string at = of(unit); !at.empty(); at = of(at)) {
        groups.insert(groups.begin(), at);
    }
    return groups;
}

std::vector<std::string> Groups::unitsIn(const std::string& group) const {
    const auto found = in_.find(group);
    return found == in_.end() ? std::vector<std::string>() : found->second;
}

NodeIds Groups::nodesIn(const std::string& unit) const {
    if (!find(unit)) {
        return {unit};
    }
    NodeIds nodes;
    for (const std::string& each : unitsIn(unit)) {
        nodes.merge(nodesIn(each));
    }
    return nodes;
}

std::string Groups::shownAs(const std::string& unit) const {
    for (const std::string& group : around(unit)) {
        if (find(group)->isFolded) {
            return group;
        }
    }
    return unit;
}

const Group* Groups::ofExactly(const NodeIds& nodes) const {
    if (nodes.empty()) {
        return nullptr;
    }
    for (const std::string& id : around(*nodes.begin())) {
        const Group* group = find(id);
        if (nodesIn(id) == nodes && (nodes.size() > 1 || group->isFolded)) {
            return group;
        }
    }
    return nullptr;
}

std::string Groups::commonOf(const NodeIds& nodes) const {
    if (nodes.empty()) {
        return {};
    }
    std::vector<std::string> common = around(*nodes.begin());
    for (const std::string& node : nodes) {
        const std::vector<std::string> other = around(node);
        common.erase(std::ranges::mismatch(common, other).in1, common.end());
    }
    return common.empty() ? std::string() : common.back();
}

std::string addGroup(graph::Document& document, const NodeIds& nodes, const std::string& title) {
    const Groups groups(document);
    const std::string common = groups.commonOf(nodes);
    const size_t depth = common.empty() ? 0 : groups.around(common).size() + 1;
    NodeIds units;
    for (const std::string& node : nodes) {
        units.insert(unitToGroup(groups, node, nodes, depth));
    }
    const std::vector<std::string> held = groups.unitsIn(common);
    const bool isAll = !common.empty() && std::ranges::all_of(held, [&](const std::string& unit) {
        return units.contains(unit);
    });
    if (units.size() < 2 || isAll) {
        return {};
    }
    const Group group{.id = freshGroupId(document), .title = title, .parent = common};
    putGroup(document, group);
    for (const std::string& unit : units) {
        setGroupOf(document, groups, unit, group.id);
    }
    removeEmptyGroups(document);
    return group.id;
}

void putGroup(graph::Document& document, const Group& group) {
    Json& list = document.groups;
    if (!list.is_array()) {  // something else that stood there is kept, as an entry
        list = list.is_null() ? Json::array() : Json::array({list});
    }
    auto found = std::ranges::find_if(
        list, [&](const Json& entry) { return textIn(entry, "id") == group.id; });
    if (found == list.end()) {
        list.push_back(Json::object());
        found = std::prev(list.end());
    }
    writeGroup(*found, group);
}

void removeGroup(graph::Document& document, const std::string& id) {
    const Groups groups(document);
    for (const std::string& unit : groups.unitsIn(id)) {
        setGroupOf(document, groups, unit, groups.of(id));
    }
    removeEmptyGroups(document);
}

void takeOutOfGroup(graph::Document& document, const NodeIds& nodes) {
    const Groups groups(document);
    NodeIds units;
    for (const std::string& node : nodes) {
        units.insert(groups.shownAs(node));
    }
    for (const std::string& unit : units) {
        setGroupOf(document, groups, unit, groups.of(groups.of(unit)));
    }
    removeEmptyGroups(document);
}

void moveIntoGroup(graph::Document& document, const NodeIds& nodes, const std::string& group) {
    const Groups groups(document);
    std::vector<std::string> target = groups.around(group);
    target.push_back(group);
    for (const std::string& node : nodes) {
        const std::vector<std::string> around = groups.around(node);
        const auto shared = std::ranges::mismatch(around, target).in1 - around.begin();
        const auto depth = static_cast<size_t>(shared);
        setGroupOf(document, groups, unitToGroup(groups, node, nodes, depth), group);
    }
    removeEmptyGroups(document);
}

void removeEmptyGroups(graph::Document& document) {
    if (!document.groups.is_array()) {
        return;
    }
    const Groups groups(document);
    const auto first =
        std::remove_if(document.groups.begin(), document.groups.end(), [&](const Json& entry) {
            const std::string id = textIn(entry, "id");
            return !id.empty() && !document.nodes.contains(id) && !groups.find(id);
        });
    document.groups.erase(first, document.groups.end());
    if (document.groups.empty()) {
        document.groups = nullptr;
    }
}

std::string groupNameOf(const graph::DocumentNode& node) {
    return textIn(node.extra, kGroup);
}

void setGroupName(graph::DocumentNode& node, const std::string& group) {
    putOrErase(node.extra, kGroup, group);
}

std::string freshGroupId(const graph::Document& document) {
    NodeIds taken;
    for (const Json& entry : document.groups.is_array() ? document.groups : Json::array()) {
        taken.insert(textIn(entry, "id"));
        taken.insert(textIn(entry, kParent));
    }
    for (const auto& [id, node] : document.nodes) {
        taken.insert(id);
        taken.insert(groupNameOf(node));
    }
    for (int number = 1;; ++number) {
        std::string id = "group-" + std::to_string(number);
        if (!taken.contains(id)) {
            return id;
        }
    }
}

NodeBox groupBox(const Groups& groups,
                 const std::string& id,
                 const BoxOfNode& boxOf,
                 const NodeSizes& sizes) {
    constexpr double kMost = std::numeric_limits<double>::max();
    Point begin{kMost, kMost};
    Point end{-kMost, -kMost};
    NodeBox whole{.id = id, .topLeft = {}, .size = {}};
    for (const std::string& unit : groups.unitsIn(id)) {
        const NodeBox box = groups.find(unit) ? groupBox(groups, unit, boxOf, sizes) : boxOf(unit);
        begin = {std::min(begin.x, box.topLeft.x), std::min(begin.y, box.topLeft.y)};
        end = {std::max(end.x, box.right()), std::max(end.y, box.bottom())};
        whole.isPinned = whole.isPinned || box.isPinned;
    }
    whole.topLeft = {begin.x - kGroupPadding, begin.y - kGroupTitle};
    whole.size = {end.x + kGroupPadding - whole.topLeft.x, end.y + kGroupPadding - whole.topLeft.y};
    const auto size = sizes.find(id);
    if (groups.find(id)->isFolded && size != sizes.end()) {
        whole.size = size->second;
    }
    return whole;
}

NodeBox unitBox(const graph::Document& document,
                const Groups& groups,
                const std::string& unit,
                const NodeSizes& sizes) {
    const auto boxOf = [&](const std::string& node) {
        return nodeBoxesOf(document, {node}, sizes).front();
    };
    return groups.find(unit) ? groupBox(groups, unit, boxOf, sizes) : boxOf(unit);
}

void moveUnit(graph::Document& document,
              const Groups& groups,
              const NodeBox& box,
              const NodeSizes& sizes) {
    const Point now = unitBox(document, groups, box.id, sizes).topLeft;
    const Point shift{box.topLeft.x - now.x, box.topLeft.y - now.y};
    if (shift == Point{}) {
        return;
    }
    for (const std::string& id : groups.nodesIn(box.id)) {
        graph::DocumentNode& node = document.nodes.at(id);
        const Point at = positionOf(node);
        setPosition(node, {at.x + shift.x, at.y + shift.y});
    }
}

std::vector<NodeBox> shownBoxes(const graph::Document& document,
                                const Groups& groups,
                                const NodeSizes& sizes) {
    NodeIds shown;
    for (const auto& [id, node] : document.nodes) {
        shown.insert(groups.shownAs(id));
    }
    std::vector<NodeBox> boxes;
    for (const std::string& unit : shown) {
        boxes.push_back(unitBox(document, groups, unit, sizes));
    }
    return boxes;
}

std::string nameInGroup(const graph::PortRef& port) {
    return port.node + '\n' + port.port;
}

graph::Document shownGraph(const graph::Document& document,
                           const Groups& groups,
                           const NodeSizes& sizes) {
    graph::Document shown;
    for (const NodeBox& box : shownBoxes(document, groups, sizes)) {
        graph::DocumentNode& node = shown.nodes[box.id];
        setPosition(node, box.topLeft);
        setPinned(node, box.isPinned);
    }
    const auto shownPort = [&](const graph::PortRef& port) {
        const std::string unit = groups.shownAs(port.node);
        return unit == port.node ? port : graph::PortRef{unit, nameInGroup(port)};
    };
    for (graph::Link link : document.links) {
        link.from = shownPort(link.from);
        link.to = shownPort(link.to);
        if (link.from.node != link.to.node) {
            shown.links.push_back(std::move(link));
        }
    }
    sortLinks(shown);
    return shown;
}

void editShown(graph::Document& document,
               const NodeSizes& sizes,
               const std::function<void(graph::Document& shown)>& edit) {
    const Groups groups(document);
    if (groups.all().empty()) {
        edit(document);
        return;
    }
    graph::Document shown = shownGraph(document, groups, sizes);
    edit(shown);
    for (const auto& [id, node] : shown.nodes) {
        moveUnit(document, groups, {.id = id, .topLeft = positionOf(node), .size = {}}, sizes);
    }
    for (graph::Link& link : document.links) {
        const std::string unit = groups.shownAs(link.to.node);
        const graph::PortRef to{unit, unit == link.to.node ? link.to.port : nameInGroup(link.to)};
        if (const graph::Link* found = linkInto(shown, to)) {
            link.extra = found->extra;
        }
    }
}

}  // namespace lowtide::ui
