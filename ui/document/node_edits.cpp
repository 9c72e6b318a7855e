#include "plugin/graph/param_value.hpp"
#include "ui/document/canvas_json.hpp"
#include "ui/document/edits.hpp"
#include "ui/language/module_texts.hpp"

#include <algorithm>
#include <cctype>

namespace lowtide::ui {

namespace {

constexpr const char* kCollapsed = "collapsed";
constexpr const char* kPinned = "pinned";

struct WireEnd {
    graph::PortRef from;
    graph::PortRef to;
};

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

std::vector<WireEnd> healedWires(const graph::Document& document,
                                 const graph::Catalog& catalog,
                                 const NodeIds& ids) {
    std::vector<WireEnd> wires;
    for (const graph::Link& link : document.links) {
        if (!ids.contains(link.from.node) || ids.contains(link.to.node)) {
            continue;
        }
        if (const auto source = sourceBehind(document, catalog, ids, link.from)) {
            wires.push_back({*source, link.to});
        }
    }
    return wires;
}

}  // namespace

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
    const std::vector<WireEnd> wires =
        heal ? healedWires(document, catalog, ids) : std::vector<WireEnd>();
    std::erase_if(document.nodes, [&](const auto& entry) { return ids.contains(entry.first); });
    std::erase_if(document.links, [&](const graph::Link& link) {
        return ids.contains(link.from.node) || ids.contains(link.to.node);
    });
    std::erase_if(document.exposed,
                  [&](const graph::ExposedParam& exposed) { return ids.contains(exposed.node); });
    for (const WireEnd& wire : wires) {
        if (wireRefusal(document, catalog, wire.from, wire.to).empty()) {
            connect(document, wire.from, wire.to);
        }
    }
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

}  // namespace lowtide::ui
