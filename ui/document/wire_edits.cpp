#include "ui/document/canvas_json.hpp"
#include "ui/document/edits.hpp"

#include <algorithm>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr const char* kVia = "via";

auto placeOfLink(std::vector<graph::Link>& links, const graph::PortRef& to) {
    return std::find_if(
        links.begin(), links.end(), [&](const graph::Link& link) { return link.to == to; });
}

void putVia(graph::Link& link, const std::vector<Point>& points) {
    if (points.empty()) {
        link.extra.erase(kVia);
        return;
    }
    Json via = Json::array();
    for (const Point point : points) {
        via.push_back(jsonOf(point));
    }
    link.extra[kVia] = std::move(via);
}

/// The first input that is free and the first output with which the node fits into the wire.
struct Fit {
    const PortDesc* input = nullptr;
    const PortDesc* output = nullptr;
};

Fit fitInto(const graph::Document& document,
            const graph::Catalog& catalog,
            const std::string& id,
            const NodeDesc& desc,
            const graph::Link& wire) {
    for (const PortDesc& input : desc.inputs) {
        const graph::PortRef into{id, input.id};
        if (linkInto(document, into) || !wireRefusal(document, catalog, wire.from, into).empty()) {
            continue;
        }
        graph::Document opened = document;
        disconnect(opened, wire.to);
        connect(opened, wire.from, into);
        for (const PortDesc& output : desc.outputs) {
            if (wireRefusal(opened, catalog, {id, output.id}, wire.to).empty()) {
                return {&input, &output};
            }
        }
    }
    return {};
}

}  // namespace

const graph::Link* linkInto(const graph::Document& document, const graph::PortRef& to) {
    const auto found = std::lower_bound(
        document.links.begin(),
        document.links.end(),
        to,
        [](const graph::Link& link, const graph::PortRef& port) { return link.to < port; });
    return found == document.links.end() || found->to != to ? nullptr : &*found;
}

void connect(graph::Document& document, const graph::PortRef& from, const graph::PortRef& to) {
    std::vector<graph::Link>& links = document.links;
    const auto old = placeOfLink(links, to);
    if (old != links.end() && old->from == from) {
        return;
    }
    disconnect(document, to);
    const auto place = std::find_if(links.begin(), links.end(), [&](const graph::Link& link) {
        return std::tie(link.to, link.from) > std::tie(to, from);
    });
    links.insert(place, {.from = from, .to = to});
}

void disconnect(graph::Document& document, const graph::PortRef& to) {
    std::erase_if(document.links, [&](const graph::Link& link) { return link.to == to; });
}

bool insertIntoWire(graph::Document& document,
                    const graph::Catalog& catalog,
                    const std::string& id,
                    const graph::PortRef& wireTo) {
    const graph::Link* found = linkInto(document, wireTo);
    const auto node = document.nodes.find(id);
    const NodeDesc* desc = node == document.nodes.end() ? nullptr : catalog.find(node->second.type);
    if (!found || !desc || found->from.node == id || wireTo.node == id) {
        return false;
    }
    const graph::Link wire = *found;
    const Fit fit = fitInto(document, catalog, id, *desc, wire);
    if (!fit.output) {
        return false;
    }
    const std::vector<Point> via = reroutesOf(wire);
    const double x = positionOf(node->second).x;
    const auto middle =
        std::find_if(via.begin(), via.end(), [&](Point point) { return point.x > x; });
    graph::Link& rest = *placeOfLink(document.links, wireTo);  // keeps the wire's unknown keys
    rest.from = {id, fit.output->id};
    putVia(rest, {middle, via.end()});
    connect(document, wire.from, {id, fit.input->id});
    setReroutes(document, {id, fit.input->id}, {via.begin(), middle});
    return true;
}

std::vector<Point> reroutesOf(const graph::Link& link) {
    std::vector<Point> points;
    const Json& via = memberIn(link.extra, kVia);
    for (const Json& entry : via.is_array() ? via : Json::array()) {
        if (const std::optional<Point> point = pointFrom(entry)) {
            points.push_back(*point);
        }
    }
    return points;
}

void setReroutes(graph::Document& document, const graph::PortRef& to, std::vector<Point> points) {
    const auto link = placeOfLink(document.links, to);
    if (link != document.links.end()) {
        putVia(*link, points);
    }
}

}  // namespace lowtide::ui
