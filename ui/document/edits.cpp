#include "ui/document/edits.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/document/groups.hpp"
#include "ui/document/json_members.hpp"
#include "ui/language/module_texts.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>

namespace lowtide::ui {

namespace {

constexpr double kFarthest = 1e7;  // canvas units; a scene counts in doubles, painters do not

Json numberOf(double value) {
    const double near = std::isfinite(value) ? std::clamp(value, -kFarthest, kFarthest) : 0;
    return near == std::trunc(near) ? Json(static_cast<int64_t>(near)) : Json(near);
}

constexpr const char* kBookmarks = "bookmarks";
constexpr const char* kCentre = "centre";
constexpr const char* kZoom = "zoom";

constexpr const char* kCollapsed = "collapsed";
constexpr const char* kPinned = "pinned";
constexpr const char* kShowsUnusedInputs = "unused_inputs";

/// Letters and digits of a text, in between "_".
std::string wordsOf(const std::string& text) {
    std::string words;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x80 && std::isalnum(byte)) {
            words += static_cast<char>(std::tolower(byte));
        } else if (!words.empty() && words.back() != '_') {
            words += '_';
        }
    }
    while (!words.empty() && words.back() == '_') {
        words.pop_back();
    }
    return words;
}

/// The output whose value reaches `output` when the removed nodes pass on what they can; nothing
/// when one of them cannot.
std::optional<graph::PortRef> sourceBehind(const graph::Document& document,
                                           const graph::Catalog& catalog,
                                           const NodeIds& removed,
                                           graph::PortRef output) {
    NodeIds visited;
    while (removed.contains(output.node)) {
        const auto node = document.nodes.find(output.node);
        if (node == document.nodes.end() || !visited.insert(output.node).second) {
            return std::nullopt;
        }
        const NodeDesc* desc = catalog.find(node->second.type);
        const PortDesc* input = desc ? graph::passedInput(*desc, output.port) : nullptr;
        const graph::Link* link = input ? linkInto(document, {output.node, input->id}) : nullptr;
        if (!link) {
            return std::nullopt;
        }
        output = link->from;
    }
    return output;
}

std::vector<graph::Link> healedWires(const graph::Document& document,
                                     const graph::Catalog& catalog,
                                     const NodeIds& ids) {
    std::vector<graph::Link> wires;
    for (const graph::Link& link : document.links) {
        if (!ids.contains(link.from.node) || ids.contains(link.to.node)) {
            continue;
        }
        if (const auto source = sourceBehind(document, catalog, ids, link.from)) {
            wires.push_back({.from = *source, .to = link.to});
        }
    }
    return wires;
}

constexpr const char* kSeedModes = "seed_modes";
constexpr const char* kRandom = "random";
constexpr const char* kIncrement = "increment";

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

auto findBox(Json& list, const std::string& id) {
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

std::optional<Point> pointFrom(const Json& json) {
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
        return std::nullopt;
    }
    return Point{std::clamp(json[0].get<double>(), -kFarthest, kFarthest),
                 std::clamp(json[1].get<double>(), -kFarthest, kFarthest)};
}

Json jsonOf(Point point) {
    return Json::array({numberOf(point.x), numberOf(point.y)});
}

void setFlag(Json& object, const char* key, bool isSet) {
    if (isSet) {
        object[key] = true;
    } else {
        object.erase(key);
    }
}

std::optional<ViewState> bookmarkOf(const graph::Document& document, int number) {
    const Json& entry =
        memberIn(memberIn(document.extra, kBookmarks), std::to_string(number).c_str());
    const std::optional<Point> centre = pointFrom(memberIn(entry, kCentre));
    const Json& zoom = memberIn(entry, kZoom);
    if (!centre || !zoom.is_number() || !(zoom.get<double>() > 0)) {
        return std::nullopt;
    }
    return ViewState{*centre, zoom.get<double>()};
}

void setBookmark(graph::Document& document, int number, const ViewState& view) {
    Json& all = document.extra[kBookmarks];
    if (!all.is_object()) {
        all = Json::object();
    }
    const Point whole{std::round(view.centre.x), std::round(view.centre.y)};
    all[std::to_string(number)] = {{kCentre, jsonOf(whole)},
                                   {kZoom, std::round(view.zoom * 1000) / 1000}};
}

const PortDesc* portOfType(const std::vector<PortDesc>& ports, const std::string& type) {
    const auto found = std::ranges::find(ports, type, &PortDesc::type);
    return found == ports.end() ? nullptr : &*found;
}

graph::PortRef inputOfType(const graph::Document& document,
                           const graph::Catalog& catalog,
                           const std::string& node,
                           const std::string& type,
                           int which) {
    const NodeDesc* desc = descOf(document, catalog, node);
    for (const PortDesc& port : desc ? desc->inputs : std::vector<PortDesc>()) {
        if (port.type == type && which-- == 0) {
            return {node, port.id};
        }
    }
    return {};
}

graph::PortRef outputOfType(const graph::Document& document,
                            const graph::Catalog& catalog,
                            const std::string& node,
                            const std::string& type) {
    const NodeDesc* desc = descOf(document, catalog, node);
    const PortDesc* port = desc ? portOfType(desc->outputs, type) : nullptr;
    return port ? graph::PortRef{node, port->id} : graph::PortRef{};
}

std::string bestNode(const graph::Document& document,
                     const std::function<int(const std::string& id)>& worthOf) {
    std::string chosen;
    int best = -1;
    for (const auto& [id, node] : document.nodes) {
        const int worth = node.mode == graph::NodeMode::Active ? worthOf(id) : -1;
        if (worth > best) {
            best = worth;
            chosen = id;
        }
    }
    return chosen;
}

bool hasDenoiser(const NodeDesc& node) {
    return std::ranges::any_of(node.components,
                               [](const auto& role) { return role.starts_with("denoiser"); });
}

std::string modelSource(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const std::string& node) {
    std::string source;
    std::string at = node;
    for (size_t step = 0; step < document.nodes.size(); ++step) {
        const NodeDesc* desc = descOf(document, catalog, at);
        const PortDesc* port = desc ? portOfType(desc->inputs, kModelType) : nullptr;
        const graph::Link* link = port ? linkInto(document, {at, port->id}) : nullptr;
        if (!link) {
            break;
        }
        source = link->from.node;
        at = source;
    }
    return source;
}

const NodeDesc* descOf(const graph::Document& document,
                       const graph::Catalog& catalog,
                       const std::string& id) {
    const auto node = document.nodes.find(id);
    return node == document.nodes.end() ? nullptr : catalog.find(node->second.type);
}

NodeIds reachedFrom(const graph::Document& document,
                    const std::string& id,
                    const std::function<bool(const graph::Link&)>& isFollowed) {
    std::map<std::string_view, std::vector<const graph::Link*>> bySource;
    for (const graph::Link& link : document.links) {
        bySource[link.from.node].push_back(&link);
    }
    NodeIds reached{id};
    std::vector<std::string_view> open{id};
    while (!open.empty()) {
        const std::string_view at = open.back();
        open.pop_back();
        for (const graph::Link* link : bySource[at]) {
            if (isFollowed(*link) && reached.insert(link->to.node).second) {
                open.emplace_back(link->to.node);
            }
        }
    }
    return reached;
}

Point positionOf(const graph::DocumentNode& node) {
    return pointFrom(node.position).value_or(Point{});
}

void setPosition(graph::DocumentNode& node, Point point) {
    node.position = jsonOf(point);
}

std::string freshId(const graph::Document& document, const NodeDesc& desc) {
    std::string base = wordsOf(englishLabel(desc));
    base = base.empty() ? wordsOf(desc.id) : base;
    base = base.empty() ? "node" : base;
    std::string id = base;
    for (int number = 2; document.nodes.contains(id); ++number) {
        id = base + "_" + std::to_string(number);
    }
    return id;
}

std::string addNode(graph::Document& document, const NodeDesc& desc, Point point) {
    graph::DocumentNode node{.type = desc.id, .version = desc.version};
    for (const ParamDesc& param : desc.params) {
        if (!std::holds_alternative<std::monostate>(param.defaultValue)) {
            node.params[param.id] = graph::toJson(param.defaultValue);
        }
    }
    setPosition(node, point);
    std::string id = freshId(document, desc);
    document.nodes.emplace(id, std::move(node));
    return id;
}

void removeNodes(graph::Document& document,
                 const graph::Catalog& catalog,
                 const NodeIds& ids,
                 bool heal) {
    const std::vector<graph::Link> wires =
        heal ? healedWires(document, catalog, ids) : std::vector<graph::Link>();
    std::erase_if(document.nodes, [&](const auto& entry) { return ids.contains(entry.first); });
    std::erase_if(document.links, [&](const graph::Link& link) {
        return ids.contains(link.from.node) || ids.contains(link.to.node);
    });
    std::erase_if(document.exposed,
                  [&](const graph::ExposedParam& exposed) { return ids.contains(exposed.node); });
    for (const graph::Link& wire : wires) {
        if (wireRefusal(document, catalog, wire.from, wire.to).empty()) {
            connect(document, wire.from, wire.to);
        }
    }
    removeEmptyGroups(document);
}

bool isCollapsed(const graph::DocumentNode& node) {
    return memberIn(node.extra, kCollapsed) == true;
}

void setCollapsed(graph::DocumentNode& node, bool isCollapsed) {
    setFlag(node.extra, kCollapsed, isCollapsed);
}

bool isPinned(const graph::DocumentNode& node) {
    return memberIn(node.extra, kPinned) == true;
}

void setPinned(graph::DocumentNode& node, bool isPinned) {
    setFlag(node.extra, kPinned, isPinned);
}

bool showsUnusedInputs(const graph::DocumentNode& node) {
    return memberIn(node.extra, kShowsUnusedInputs) == true;
}

void setShowsUnusedInputs(graph::DocumentNode& node, bool isShown) {
    setFlag(node.extra, kShowsUnusedInputs, isShown);
}

void toggleMode(graph::Document& document, const NodeIds& ids, graph::NodeMode mode) {
    std::vector<graph::DocumentNode*> nodes;
    for (const std::string& id : ids) {
        if (const auto found = document.nodes.find(id); found != document.nodes.end()) {
            nodes.push_back(&found->second);
        }
    }
    const bool haveAll = std::all_of(
        nodes.begin(), nodes.end(), [&](const auto* node) { return node->mode == mode; });
    for (graph::DocumentNode* node : nodes) {
        node->mode = haveAll ? graph::NodeMode::Active : mode;
    }
}

bool canBypass(const graph::Document& document,
               const graph::Catalog& catalog,
               const std::string& id) {
    const NodeDesc* desc = descOf(document, catalog, id);
    return desc && std::any_of(desc->outputs.begin(), desc->outputs.end(), [&](const auto& output) {
               return graph::passedInput(*desc, output.id) != nullptr;
           });
}

uint64_t drawnSeed(const ParamDesc& param, uint64_t random) {
    const bool isSmaller =
        param.max && *param.max > 0 && *param.max < static_cast<double>(kDrawnSeeds);
    return random % (isSmaller ? static_cast<uint64_t>(*param.max) + 1 : kDrawnSeeds);
}

SeedMode seedModeOf(const graph::DocumentNode& node, const std::string& param) {
    const Json& mode = memberIn(memberIn(node.extra, kSeedModes), param.c_str());
    return mode == kRandom      ? SeedMode::Random
           : mode == kIncrement ? SeedMode::Increment
                                : SeedMode::Keep;
}

void setSeedMode(graph::DocumentNode& node, const std::string& param, SeedMode mode) {
    Json& modes = node.extra[kSeedModes];
    if (!modes.is_object()) {
        modes = Json::object();
    }
    if (mode == SeedMode::Keep) {
        modes.erase(param);
    } else {
        modes[param] = mode == SeedMode::Random ? kRandom : kIncrement;
    }
    if (modes.empty()) {
        node.extra.erase(kSeedModes);
    }
}

void setExposed(graph::Document& document,
                const std::string& node,
                const std::string& param,
                const std::string& label,
                bool isExposed) {
    const auto isIt = [&](const graph::ExposedParam& entry) {
        return entry.node == node && entry.param == param;
    };
    const auto found = std::ranges::find_if(document.exposed, isIt);
    if (!isExposed) {
        std::erase_if(document.exposed, isIt);
    } else if (found != document.exposed.end()) {
        found->label = label;
    } else {
        document.exposed.push_back({.node = node, .param = param, .label = label});
    }
}

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
    if (!list.is_array()) {  // something else that stood there is kept, as an entry
        list = list.is_null() ? Json::array() : Json::array({list});
    }
    if (box.id.empty()) {
        box.id = freshBoxId(list, kind);
    }
    const auto found = findBox(list, box.id);
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
    if (const auto found = findBox(list, id); found != list.end()) {
        list.erase(found);
    }
    if (list.empty()) {
        list = nullptr;
    }
}

}  // namespace lowtide::ui
