#include "plugin/interop/graph_draft.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace lowtide::interop {

namespace {

std::map<std::string, Json> valuesOfGroups(const Prompt& prompt, const ValueOrigins& origins) {
    std::map<std::string, Json> values;
    for (const PromotedValue& value : prompt.promoted) {
        const auto origin = origins.find({value.node, value.input});
        if (origin != origins.end()) {
            values[value.group].push_back(
                {{"node", origin->second.node}, {"item", origin->second.port}});
        }
    }
    return values;
}

void addGroups(const Prompt& prompt,
               const ValueOrigins& origins,
               std::set<std::string> used,
               graph::Document& document) {
    Json groups = Json::array();
    std::map<std::string, Json> values = valuesOfGroups(prompt, origins);
    for (auto group = prompt.groups.rbegin(); group != prompt.groups.rend(); ++group) {
        if (used.contains(group->id) && !group->parent.empty()) {
            used.insert(group->parent);
        }
    }
    for (const PromptGroup& group : prompt.groups) {
        if (used.contains(group.id)) {
            Json json = {{"id", group.id}, {"title", group.title}, {"folded", true}};
            if (!group.parent.empty()) {
                json["parent"] = group.parent;
            }
            if (const auto shown = values.find(group.id); shown != values.end()) {
                json["values"] = std::move(shown->second);
            }
            groups.push_back(std::move(json));
        }
    }
    if (!groups.empty()) {
        document.groups = std::move(groups);
    }
}

void addNotes(const Prompt& prompt, graph::Document& document) {
    Json notes = Json::array();
    for (const PromptNote& note : prompt.notes) {
        if (note.position.is_array() && note.size.is_array()) {
            notes.push_back({{"id", "note_" + std::to_string(notes.size() + 1)},
                             {"text", note.text},
                             {"position", note.position},
                             {"size", note.size}});
        }
    }
    if (!notes.empty()) {
        document.notes = std::move(notes);
    }
}

void addFrames(const Prompt& prompt, graph::Document& document) {
    Json frames = Json::array();
    for (const PromptFrame& frame : prompt.frames) {
        frames.push_back({{"id", "frame_" + std::to_string(frames.size() + 1)},
                          {"text", frame.title},
                          {"position", frame.position},
                          {"size", frame.size}});
    }
    if (!frames.empty()) {
        document.frames = std::move(frames);
    }
}

void addExposed(const Prompt& prompt, const ValueOrigins& origins, graph::Document& document) {
    std::set<graph::PortRef> shown;
    for (const PromotedValue& value : prompt.promoted) {
        const auto origin = origins.find({value.node, value.input});
        if (origin != origins.end() && shown.insert(origin->second).second) {
            document.exposed.push_back({.node = origin->second.node,
                                        .param = origin->second.port,
                                        .label = value.label,
                                        .extra = Json::object()});
        }
    }
}

}  // namespace

Json movedDown(const Json& position, double by) {
    const bool isMoved = by != 0 && position.is_array();
    return isMoved ? Json{position[0].get<double>() + by, position[1].get<double>() + by}
                   : position;
}

GraphDraft::GraphDraft(const graph::Catalog& catalog, const Prompt& prompt) : catalog_(catalog) {
    for (const auto& [id, node] : prompt.nodes) {
        taken_.insert(id);
    }
    for (const PromptGroup& group : prompt.groups) {
        taken_.insert(group.id);
    }
}

std::string GraphDraft::idOf(const std::string& id, const std::string& name) {
    if (name.empty()) {
        return id;
    }
    const auto [known, isNew] = further_.try_emplace({id, name});
    if (isNew) {
        constexpr size_t kLongestUsual = 180;  // a graph refuses ids of more than 200 bytes
        std::string usual = id + "_" + name;
        usual = usual.size() > kLongestUsual ? "further" : usual;
        std::string own = usual;
        while (!taken_.insert(own).second) {
            own = usual + "_" + std::to_string(++lastNumber_);
        }
        known->second = own;
    }
    return known->second;
}

void GraphDraft::put(const std::string& id, const std::string& type, graph::DocumentNode node) {
    nodes_[id] = std::move(node);
    classes_[id] = type;
}

const NodeDesc* GraphDraft::descOf(const std::string& id) const {
    const auto node = nodes_.find(id);
    return node == nodes_.end() ? nullptr : catalog_.find(node->second.type);
}

bool GraphDraft::hasOutput(const graph::PortRef& port) const {
    const NodeDesc* desc = descOf(port.node);
    return desc != nullptr && graph::findOutput(*desc, port.port) != nullptr;
}

std::string GraphDraft::typeOf(const graph::PortRef& port) const {
    const NodeDesc* desc = descOf(port.node);
    const PortDesc* output = desc == nullptr ? nullptr : graph::findOutput(*desc, port.port);
    return output == nullptr ? std::string() : output->type;
}

std::optional<graph::PortRef> GraphDraft::sourceOf(const graph::PortRef& to) const {
    const auto wire = wires_.find(to);
    return wire == wires_.end() ? std::nullopt : std::optional(wire->second);
}

std::optional<graph::PortRef> GraphDraft::sourceBefore(const graph::PortRef& wire,
                                                       const std::string& port) const {
    std::string id = wire.node;
    for (int hop = 0; hop < kFarthestBefore; ++hop) {
        if (const auto source = sourceOf({id, port})) {
            return source;
        }
        const auto latent = sourceOf({id, "latent"});
        if (!latent) {
            break;
        }
        id = latent->node;
    }
    return std::nullopt;
}

void GraphDraft::copy(const std::string& id, const std::string& own) {
    if (!nodes_.contains(own)) {
        copies_[id].push_back(own);
        copied_.insert(own);
    }
    graph::DocumentNode made = nodes_.at(id);
    made.position = movedDown(made.position, kCascade);
    put(own, classOf(id), std::move(made));
    std::vector<std::pair<graph::PortRef, graph::PortRef>> same;
    for (auto wire = wires_.lower_bound({id, ""}); wire != wires_.end() && wire->first.node == id;
         ++wire) {
        same.emplace_back(wire->second, graph::PortRef{own, wire->first.port});
    }
    for (const auto& [from, to] : same) {
        link(from, to);
    }
}

void GraphDraft::settleCopies() {
    const std::set<std::string> abandoned = abandonedNodes();
    std::map<std::string, std::string> names;
    for (const std::string& id : abandoned) {
        nodes_.erase(id);
        std::string left = copies_.at(id).front();
        while (abandoned.contains(left)) {
            left = copies_.at(left).front();
        }
        if (!copied_.contains(id)) {
            names[left] = id;
        }
    }
    rename(names);
}

/// Of those that were copied; what feeds them is wired to them no more.
std::set<std::string> GraphDraft::abandonedNodes() {
    std::map<std::string, size_t> uses;
    for (const auto& [to, from] : wires_) {
        ++uses[from.node];
    }
    std::set<std::string> abandoned;
    std::vector<std::string> open;
    for (const auto& [id, copies] : copies_) {
        open.push_back(id);
    }
    while (!open.empty()) {
        const std::string id = open.back();
        open.pop_back();
        if (!copies_.contains(id) || uses[id] > 0 || !abandoned.insert(id).second) {
            continue;
        }
        const auto begin = wires_.lower_bound({id, ""});
        auto end = begin;
        for (; end != wires_.end() && end->first.node == id; ++end) {
            --uses[end->second.node];
            open.push_back(end->second.node);
        }
        wires_.erase(begin, end);
    }
    return abandoned;
}

void GraphDraft::rename(const std::map<std::string, std::string>& names) {
    const auto nameOf = [&](const std::string& id) {
        const auto name = names.find(id);
        return name == names.end() ? id : name->second;
    };
    for (const auto& [from, to] : names) {
        nodes_[to] = std::move(nodes_.at(from));
        nodes_.erase(from);
    }
    std::map<graph::PortRef, graph::PortRef> wires;
    for (const auto& [to, from] : wires_) {
        wires[{nameOf(to.node), to.port}] = {nameOf(from.node), from.port};
    }
    wires_ = std::move(wires);
}

bool GraphDraft::isOfType(const std::string& id, const char* type) const {
    const auto node = nodes_.find(id);
    return node != nodes_.end() && node->second.type == type;
}

/// One of ownersOf.
struct GraphDraft::Search {
    const std::string& param;
    const std::string& copiedFor;
    Owners found;
    std::map<std::string, std::string> seen{};  ///< nodes, and what stands for them now
};

GraphDraft::Owners GraphDraft::ownersOf(const std::string& param,
                                        const graph::PortRef& wire,
                                        const std::string& copiedFor) {
    Search search{.param = param, .copiedFor = copiedFor, .found = {.wire = wire}};
    search.found.wire = ownedWire(search, wire, 0);
    return std::move(search.found);
}

graph::PortRef GraphDraft::ownedWire(Search& search, const graph::PortRef& wire, int depth) {
    if (const auto known = search.seen.find(wire.node); known != search.seen.end()) {
        return {known->second, wire.port};
    }
    if (depth == kFarthestBefore) {
        return wire;
    }
    std::string own = wire.node;
    const auto takeCopy = [&] {
        if (!search.copiedFor.empty() && own == wire.node) {
            own = idOf(search.copiedFor, wire.node);
            copy(wire.node, own);
            search.found.copies[wire.node] = own;
        }
    };
    const NodeDesc* desc = descOf(wire.node);
    if (desc != nullptr && graph::findParam(*desc, search.param) != nullptr) {
        takeCopy();
        search.found.nodes.push_back(own);
    } else {
        for (const graph::PortRef& port : promptPorts(wire.node)) {
            const graph::PortRef source = *sourceOf(port);
            const graph::PortRef owned = ownedWire(search, source, depth + 1);
            if (owned != source) {
                takeCopy();
                relink(owned, {own, port.port});
            }
        }
    }
    search.seen[wire.node] = own;
    return {own, wire.port};
}

/// The wired inputs through which a prompt or model comes in.
std::vector<graph::PortRef> GraphDraft::promptPorts(const std::string& id) const {
    std::vector<graph::PortRef> ports;
    for (const char* port : {"first", "second", "conditioning", "model"}) {
        const bool isSecond = std::string_view(port) == "second";
        if ((!isSecond || isOfType(id, kCombine)) && sourceOf({id, port})) {
            ports.push_back({id, port});
        }
    }
    return ports;
}

/// The wires along which the first prompt comes, from `wire` on backwards.
std::vector<graph::PortRef> GraphDraft::firstPrompts(const graph::PortRef& wire) const {
    std::vector<graph::PortRef> way = {wire};
    while (way.size() < kFarthestBefore) {
        const auto first = sourceOf({way.back().node, "first"});
        const auto next = first ? first : sourceOf({way.back().node, "conditioning"});
        if (!next) {
            break;
        }
        way.push_back(*next);
    }
    return way;
}

graph::PortRef GraphDraft::firstPrompt(const graph::PortRef& wire) {
    const std::vector<graph::PortRef> way = firstPrompts(wire);
    const auto isCombined = [&](const graph::PortRef& each) {
        return isOfType(each.node, kCombine);
    };
    const auto combined = std::find_if(way.rbegin(), way.rend(), isCombined);
    if (combined == way.rend() || combined == way.rbegin()) {
        return wire;
    }
    graph::PortRef prompt = *std::prev(combined);
    for (auto each = std::next(combined); each != way.rend(); ++each) {
        if (isCombined(*each) || !sourceOf({each->node, "second"})) {
            continue;  // what restricts a prompt leaves its tokens as they are
        }
        const std::string own = idOf(each->node, "first");
        copy(each->node, own);
        relink(prompt, {own, "first"});
        prompt = {own, each->port};
    }
    return prompt;
}

std::optional<graph::PortRef> GraphDraft::encoded(const graph::PortRef& wire,
                                                  const std::string& port) const {
    for (const graph::PortRef& each : firstPrompts(wire)) {
        if (hasOutput({each.node, port})) {
            return graph::PortRef{each.node, port};
        }
    }
    return std::nullopt;
}

void GraphDraft::fit(const graph::PortRef& image, const graph::PortRef& model) {
    constexpr const char* kFit = "image.fit";
    const NodeDesc* desc = catalog_.find(kFit);
    const std::optional<graph::PortRef> from = sourceOf(image), by = sourceOf(model);
    if (desc == nullptr || !from || !by || wires_.contains({from->node, "model"})) {
        return;
    }
    const graph::DocumentNode& next = nodes_.at(image.node);
    graph::DocumentNode made;
    made.type = kFit;
    made.version = desc->version;
    made.params = {{"width", 0}, {"height", 0}, {"multiple", 1}, {"mode", "crop"}};
    made.position = movedDown(next.position, -kCascade);
    made.extra = next.extra;  // in the same group
    const std::string id = idOf(image.node, "fit");
    put(id, classOf(image.node), std::move(made));
    wires_.erase(image);
    link(*from, {id, "image"});
    link(*by, {id, "model"});
    link({id, "image"}, image);
}

graph::Document GraphDraft::take() {
    graph::Document document;
    document.nodes = std::move(nodes_);
    for (const auto& [to, from] : wires_) {
        document.links.push_back({.from = from, .to = to, .extra = Json::object()});
    }
    return document;
}

void addCanvasParts(const Prompt& prompt,
                    const ValueOrigins& origins,
                    const std::set<std::string>& groupsUsed,
                    graph::Document& document) {
    addGroups(prompt, origins, groupsUsed, document);
    addNotes(prompt, document);
    addFrames(prompt, document);
    addExposed(prompt, origins, document);
}

}  // namespace lowtide::interop
