#include "plugin/interop/canvas_parts.hpp"

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
