#include "ui/document/canvas_json.hpp"
#include "ui/document/edits.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

Json& listOf(graph::Document& document, BoxKind kind) {
    return kind == BoxKind::Frame ? document.frames : document.notes;
}

std::optional<Box> boxFrom(const Json& json) {
    Box box;
    box.id = textIn(json, "id");
    const std::optional<Point> topLeft = pointFrom(memberIn(json, "position"));
    const std::optional<Point> size = pointFrom(memberIn(json, "size"));
    if (box.id.empty() || !topLeft || !size || size->x <= 0 || size->y <= 0) {
        return std::nullopt;
    }
    box.text = textIn(json, "text");
    box.topLeft = *topLeft;
    box.size = *size;
    box.colour = textIn(json, "colour");
    box.isCollapsed = memberIn(json, "collapsed") == true;
    return box;
}

void putInto(Json& json, const Box& box) {
    json["id"] = box.id;
    json["text"] = box.text;
    json["position"] = jsonOf(box.topLeft);
    json["size"] = jsonOf(box.size);
    if (box.colour.empty()) {
        json.erase("colour");
    } else {
        json["colour"] = box.colour;
    }
    setFlag(json, "collapsed", box.isCollapsed);
}

auto placeOfBox(Json& list, const std::string& id) {
    return std::find_if(list.begin(), list.end(), [&](const Json& entry) {
        const std::optional<Box> box = boxFrom(entry);
        return box && box->id == id;
    });
}

/// "frame-1": nodes never have a "-" in the ids that are given to them.
std::string freshBoxId(const Json& list, BoxKind kind) {
    const std::string base = kind == BoxKind::Frame ? "frame-" : "note-";
    for (int number = 1;; ++number) {
        const std::string id = base + std::to_string(number);
        if (std::none_of(list.begin(), list.end(), [&](const Json& entry) {
                return textIn(entry, "id") == id;
            })) {
            return id;
        }
    }
}

}  // namespace

std::vector<Box> boxesOf(const graph::Document& document, BoxKind kind) {
    const Json& list = kind == BoxKind::Frame ? document.frames : document.notes;
    std::vector<Box> boxes;
    NodeIds ids;
    for (const Json& entry : list.is_array() ? list : Json::array()) {
        std::optional<Box> box = boxFrom(entry);
        if (box && ids.insert(box->id).second) {
            boxes.push_back(std::move(*box));
        }
    }
    return boxes;
}

std::string putBox(graph::Document& document, BoxKind kind, Box box) {
    Json& list = listOf(document, kind);
    if (!list.is_array()) {  // something else that stood there stays, as an entry
        list = list.is_null() ? Json::array() : Json::array({list});
    }
    if (box.id.empty()) {
        box.id = freshBoxId(list, kind);
    }
    const auto found = placeOfBox(list, box.id);
    if (found != list.end()) {
        putInto(*found, box);
    } else {
        list.push_back(Json::object());
        putInto(list.back(), box);
    }
    return box.id;
}

void removeBox(graph::Document& document, BoxKind kind, const std::string& id) {
    Json& list = listOf(document, kind);
    if (!list.is_array()) {
        return;
    }
    if (const auto found = placeOfBox(list, id); found != list.end()) {
        list.erase(found);
    }
    if (list.empty()) {
        list = nullptr;
    }
}

}  // namespace lowtide::ui
