#include "ui/prompts/taken_prompts.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

/// Texts of several lines of active nodes, stated or not.
std::vector<PromptPlace> roomFor(const graph::Document& document, const graph::Catalog& catalog) {
    std::vector<PromptPlace> places;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc || node.mode != graph::NodeMode::Active) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            if (param.kind == ParamKind::Text && param.multiline) {
                places.push_back({.node = id, .param = param.id});
            }
        }
    }
    return places;
}

}  // namespace

size_t takePrompts(graph::Document& into,
                   const graph::Document& from,
                   const graph::Catalog& catalog) {
    std::vector<PromptPlace> rooms = roomFor(into, catalog);
    std::vector<PromptPlace> left = promptPlaces(from, catalog);
    std::erase_if(left, [&](const PromptPlace& place) { return textAt(from, place).empty(); });
    if (rooms.empty()) {
        return 0;
    }
    const auto typeIn = [](const graph::Document& document, const PromptPlace& place) {
        return document.nodes.at(place.node).type;
    };
    for (const bool sameType : {true, false}) {
        std::erase_if(left, [&](const PromptPlace& place) {
            const auto room = std::ranges::find_if(rooms, [&](const PromptPlace& each) {
                return each.param == place.param &&
                       (!sameType || typeIn(into, each) == typeIn(from, place));
            });
            if (room == rooms.end()) {
                return false;
            }
            into.nodes.at(room->node).params[room->param] = textAt(from, place);
            rooms.erase(room);
            return true;
        });
    }
    return left.size();
}

}  // namespace lowtide::ui
