#include "plugin/interop/graph_draft.hpp"

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

std::string GraphDraft::idOf(const std::string& id, const std::string& name) {
    return name.empty() ? id : id + "_" + name;
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

std::string GraphDraft::copy(const std::string& id, const std::string& name) {
    std::string own = idOf(id, name);
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
    return own;
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
