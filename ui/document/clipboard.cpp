#include "ui/document/clipboard.hpp"

#include "ui/document/groups.hpp"
#include "ui/document/json_members.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace lowtide::ui {

namespace {

bool holds(const Box& box, Point point) {
    return point.x >= box.topLeft.x && point.y >= box.topLeft.y &&
           point.x <= box.topLeft.x + box.size.x && point.y <= box.topLeft.y + box.size.y;
}

/// Whether the box goes along: it was chosen itself, or everything in it goes along.
bool goesAlong(const graph::Document& document, const NodeIds& ids, const Box& box) {
    bool hasNode = false;
    for (const auto& [id, node] : document.nodes) {
        if (holds(box, positionOf(node))) {
            if (!ids.contains(id)) {
                return ids.contains(box.id);
            }
            hasNode = true;
        }
    }
    return hasNode || ids.contains(box.id);
}

/// A note without nodes in it goes along with the frame that it lies in.
bool liesInOneOf(const Box& note, const std::vector<Box>& frames) {
    return std::any_of(
        frames.begin(), frames.end(), [&](const Box& frame) { return holds(frame, note.topLeft); });
}

/// The entries of a list of boxes with these ids, with their unknown keys.
Json entriesOf(const Json& list, const NodeIds& ids) {
    Json entries;
    for (const Json& entry : list.is_array() ? list : Json::array()) {
        const Json& id = memberIn(entry, "id");
        if (id.is_string() && ids.contains(id.get<std::string>())) {
            entries.push_back(entry);
        }
    }
    return entries;
}

void copyBoxes(const graph::Document& document, const NodeIds& ids, graph::Document& copied) {
    std::vector<Box> frames;
    NodeIds frameIds;
    for (const Box& box : boxesOf(document, BoxKind::Frame)) {
        if (goesAlong(document, ids, box)) {
            frames.push_back(box);
            frameIds.insert(box.id);
        }
    }
    NodeIds noteIds;
    for (const Box& box : boxesOf(document, BoxKind::Note)) {
        if (ids.contains(box.id) || liesInOneOf(box, frames)) {
            noteIds.insert(box.id);
        }
    }
    copied.frames = entriesOf(document.frames, frameIds);
    copied.notes = entriesOf(document.notes, noteIds);
}

/// Groups of which every node goes along; other nodes go without theirs.
void copyGroups(const graph::Document& document, graph::Document& copied) {
    const Groups groups(document);
    NodeIds ids;
    for (const auto& [id, group] : groups.all()) {
        const NodeIds nodes = groups.nodesIn(id);
        if (std::ranges::all_of(nodes,
                                [&](const auto& node) { return copied.nodes.contains(node); })) {
            ids.insert(id);
        }
    }
    copied.groups = entriesOf(document.groups, ids);
    for (const std::string& id : ids) {
        if (!ids.contains(groups.of(id))) {
            Group outer = *groups.find(id);
            outer.parent.clear();
            putGroup(copied, outer);
        }
    }
    for (auto& [id, node] : copied.nodes) {
        if (!ids.contains(groupNameOf(node))) {
            setGroupName(node, {});
        }
    }
}

Point topLeftOf(const graph::Document& document) {
    Point corner{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    const auto include = [&](Point point) {
        corner = {std::min(corner.x, point.x), std::min(corner.y, point.y)};
    };
    for (const auto& [id, node] : document.nodes) {
        include(positionOf(node));
    }
    for (const BoxKind kind : {BoxKind::Frame, BoxKind::Note}) {
        for (const Box& box : boxesOf(document, kind)) {
            include(box.topLeft);
        }
    }
    return corner;
}

/// Puts what was copied into a document, moved and under new names.
class Pasting {
public:
    Pasting(graph::Document& document, const graph::Catalog& catalog, Point offset)
        : document_(document), catalog_(catalog), offset_(offset) {}

    void nodes(const graph::Document& pasted) {
        for (const auto& [id, node] : pasted.nodes) {
            graph::DocumentNode copy = node;
            setPosition(copy, moved(positionOf(node)));
            const NodeDesc* desc = catalog_.find(node.type);
            const std::string fresh =
                freshId(document_, desc ? *desc : NodeDesc{.id = node.type, .label = node.type});
            document_.nodes.emplace(fresh, std::move(copy));
            names_[id] = fresh;
        }
    }

    void links(const graph::Document& pasted) {
        for (const graph::Link& link : pasted.links) {
            const auto to = names_.find(link.to.node);
            const auto from = names_.find(link.from.node);
            if (to == names_.end()) {
                continue;
            }
            const graph::PortRef target{to->second, link.to.port};
            if (from != names_.end()) {
                add(link, {from->second, link.from.port}, target);
            } else if (wireRefusal(document_, catalog_, link.from, target).empty()) {
                add(link, link.from, target);
            }
        }
    }

    void exposed(const graph::Document& pasted) {
        for (const graph::ExposedParam& exposed : pasted.exposed) {
            if (const auto node = names_.find(exposed.node); node != names_.end()) {
                document_.exposed.push_back(exposed);
                document_.exposed.back().node = node->second;
            }
        }
    }

    void boxes(const graph::Document& pasted, BoxKind kind) {
        const Json& list = kind == BoxKind::Frame ? pasted.frames : pasted.notes;
        for (Box box : boxesOf(pasted, kind)) {
            Json entry = entriesOf(list, {box.id}).front();
            box.id.clear();
            box.topLeft = moved(box.topLeft);
            putBox(document_, kind, box);  // at the end, since it has no id yet
            Json& made = kind == BoxKind::Frame ? document_.frames.back() : document_.notes.back();
            entry.update(made);
            made = std::move(entry);
        }
    }

    void groups(const graph::Document& pasted) {
        const Groups known(pasted);
        std::map<std::string, std::string> fresh{{"", ""}};
        for (const auto& [id, group] : known.all()) {
            Group copy{.id = freshGroupId(document_), .title = group.title};
            fresh[id] = copy.id;
            putGroup(document_, copy);
        }
        for (const auto& [id, group] : known.all()) {
            Group copy = group;
            copy.id = fresh.at(id);
            copy.parent = fresh.at(group.parent);
            for (graph::PortRef& value : copy.values) {
                value.node = names_.at(value.node);
            }
            for (std::vector<GroupPort>* ports : {&copy.inputs, &copy.outputs}) {
                for (GroupPort& port : *ports) {
                    port.port.node = names_.at(port.port.node);
                }
            }
            putGroup(document_, copy);
        }
        for (const auto& [old, made] : names_) {
            setGroupName(document_.nodes.at(made), fresh.at(known.of(old)));
        }
    }

    NodeIds made() const {
        NodeIds ids;
        for (const auto& [old, fresh] : names_) {
            ids.insert(fresh);
        }
        return ids;
    }

private:
    Point moved(Point point) const { return {point.x + offset_.x, point.y + offset_.y}; }

    void add(const graph::Link& link, const graph::PortRef& from, const graph::PortRef& to) {
        std::vector<Point> via = reroutesOf(link);
        std::transform(
            via.begin(), via.end(), via.begin(), [&](Point point) { return moved(point); });
        connect(document_, from, to);
        const auto made = std::find_if(
            document_.links.begin(), document_.links.end(), [&](const graph::Link& candidate) {
                return candidate.to == to;
            });
        made->extra = link.extra;
        if (!via.empty()) {
            setReroutes(document_, to, std::move(via));
        }
    }

    graph::Document& document_;
    const graph::Catalog& catalog_;
    const Point offset_;
    std::map<std::string, std::string> names_;
};

}  // namespace

std::string copyText(const graph::Document& document, const NodeIds& ids, bool incoming) {
    graph::Document copied;
    for (const std::string& id : ids) {
        if (const auto node = document.nodes.find(id); node != document.nodes.end()) {
            copied.nodes.insert(*node);
        }
    }
    for (const graph::Link& link : document.links) {
        if (copied.nodes.contains(link.to.node) &&
            (incoming || copied.nodes.contains(link.from.node))) {
            copied.links.push_back(link);
        }
    }
    copyBoxes(document, ids, copied);
    copyGroups(document, copied);
    return graph::toText(copied);
}

NodeIds pasteText(graph::Document& document,
                  const graph::Catalog& catalog,
                  std::string_view text,
                  Point at) {
    const graph::Document pasted = graph::parseDocument(text);
    const Point corner = topLeftOf(pasted);
    Pasting pasting(document, catalog, {at.x - corner.x, at.y - corner.y});
    pasting.nodes(pasted);
    pasting.links(pasted);
    pasting.exposed(pasted);
    pasting.boxes(pasted, BoxKind::Frame);
    pasting.boxes(pasted, BoxKind::Note);
    pasting.groups(pasted);
    return pasting.made();
}

}  // namespace lowtide::ui
