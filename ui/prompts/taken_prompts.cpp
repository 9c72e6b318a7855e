#include "ui/prompts/taken_prompts.hpp"

#include <algorithm>

namespace lowtide::ui {

size_t takePrompts(graph::Document& into,
                   const graph::Document& from,
                   const graph::Catalog& catalog) {
    std::vector<PromptPlace> rooms = promptRooms(into, catalog);
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
