#include "ui/document/edits.hpp"
#include "ui/document/json_members.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <string_view>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr std::string_view kAny = "*";

struct Wires {
    Q_DECLARE_TR_FUNCTIONS(Wires)
};

QString toQt(const std::string& text) {
    return QString::fromStdString(text);
}

/// "a LATENT", "an IMAGE".
QString withArticle(const std::string& type) {
    const bool isVowel = !type.empty() && std::string_view("AEIOUaeiou").find(type.front()) !=
                                              std::string_view::npos;
    return (isVowel ? Wires::tr("an %1") : Wires::tr("a %1")).arg(toQt(type));
}

/// One look at a graph: whether a wire may be drawn in it.
class WireCheck {
public:
    WireCheck(const graph::Document& document, const graph::Catalog& catalog)
        : document_(document), catalog_(catalog) {}

    QString refusal(const graph::PortRef& from, const graph::PortRef& to) const {
        for (const std::string& id : {from.node, to.node}) {
            if (const QString problem = unknownNode(id); !problem.isEmpty()) {
                return problem;
            }
        }
        if (!graph::findOutput(*descOf(from.node), from.port)) {
            return Wires::tr("%1 has no output “%2”.").arg(nameOf(from.node), toQt(from.port));
        }
        if (!graph::findInput(*descOf(to.node), to.port)) {
            return Wires::tr("%1 has no input “%2”.").arg(nameOf(to.node), toQt(to.port));
        }
        if (from.node == to.node) {
            return Wires::tr("A node cannot feed itself.");
        }
        NodeIds visited;
        const QString problem = typeRefusal(typeOf(from), to, visited);
        if (problem.isEmpty() && feeds(to.node, from.node)) {
            return Wires::tr("That would be a circle: %1 already feeds %2.")
                .arg(nameOf(to.node), nameOf(from.node));
        }
        return problem;
    }

private:
    const NodeDesc* descOf(const std::string& id) const {
        return ui::descOf(document_, catalog_, id);
    }

    QString nameOf(const std::string& id) const {
        const graph::DocumentNode& node = document_.nodes.at(id);
        const NodeDesc* desc = descOf(id);
        const bool isNamed = node.title && !node.title->empty();
        return toQt(isNamed ? *node.title : desc && !desc->label.empty() ? desc->label : id);
    }

    QString unknownNode(const std::string& id) const {
        const auto node = document_.nodes.find(id);
        if (node == document_.nodes.end()) {
            return Wires::tr("There is no node “%1”.").arg(toQt(id));
        }
        return descOf(id)
                   ? QString()
                   : Wires::tr("The node type “%1” is not known here, and neither are its ports.")
                         .arg(toQt(node->second.type));
    }

    /// Whether what leaves `source` reaches `target`, walking back from it.
    bool feeds(const std::string& source, const std::string& target) const {
        std::vector<std::string_view> open{target};
        std::set<std::string_view> visited{target};
        while (!open.empty()) {
            const std::string_view id = open.back();
            open.pop_back();
            if (id == source) {
                return true;
            }
            for (auto link = firstInto(id); link != document_.links.end() && link->to.node == id;
                 ++link) {
                if (visited.insert(link->from.node).second) {
                    open.push_back(link->from.node);
                }
            }
        }
        return false;
    }

    std::vector<graph::Link>::const_iterator firstInto(std::string_view node) const {
        return std::lower_bound(
            document_.links.begin(),
            document_.links.end(),
            node,
            [](const graph::Link& link, std::string_view id) { return link.to.node < id; });
    }

    /// The type of a value there; what a control node passes on has the type of its input.
    std::string typeOf(graph::PortRef output) const {
        NodeIds visited;
        while (visited.insert(output.node).second) {
            const NodeDesc* desc = descOf(output.node);
            const PortDesc* port = desc ? graph::findOutput(*desc, output.port) : nullptr;
            if (!port || port->type != kAny) {
                return port ? port->type : std::string(kAny);
            }
            const PortDesc* input = graph::passedInput(*desc, output.port);
            const graph::Link* link =
                input ? linkInto(document_, {output.node, input->id}) : nullptr;
            if (!link) {
                break;
            }
            output = link->from;
        }
        return std::string(kAny);
    }

    /// Also of the inputs behind a control node, which pass on what they get.
    QString typeRefusal(const std::string& type, const graph::PortRef& to, NodeIds& visited) const {
        const NodeDesc* desc = descOf(to.node);
        const PortDesc* input = desc ? graph::findInput(*desc, to.port) : nullptr;
        if (!input || type == kAny) {
            return {};
        }
        if (!typesFit(type, input->type)) {
            return Wires::tr("%1 takes %2 here, this is %3.")
                .arg(nameOf(to.node), withArticle(input->type), withArticle(type));
        }
        if (input->type != kAny || !visited.insert(to.node).second) {
            return {};
        }
        for (const graph::Link& link : document_.links) {
            const PortDesc* passed =
                link.from.node == to.node ? graph::passedInput(*desc, link.from.port) : nullptr;
            if (passed != input) {
                continue;
            }
            if (const QString problem = typeRefusal(type, link.to, visited); !problem.isEmpty()) {
                return Wires::tr("%1 passes this on: %2").arg(nameOf(to.node), problem);
            }
        }
        return {};
    }

    const graph::Document& document_;
    const graph::Catalog& catalog_;
};

constexpr const char* kVia = "via";

auto findLink(std::vector<graph::Link>& links, const graph::PortRef& to) {
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

bool typesFit(const std::string& from, const std::string& to) {
    return from == to || from == kAny || to == kAny;
}

std::string wireRefusal(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const graph::PortRef& from,
                        const graph::PortRef& to) {
    return WireCheck(document, catalog).refusal(from, to).toStdString();
}

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
    const auto old = findLink(links, to);
    if (old != links.end() && old->from == from) {
        return;
    }
    disconnect(document, to);
    const auto found = std::find_if(links.begin(), links.end(), [&](const graph::Link& link) {
        return std::tie(link.to, link.from) > std::tie(to, from);
    });
    links.insert(found, {.from = from, .to = to});
}

void disconnect(graph::Document& document, const graph::PortRef& to) {
    std::erase_if(document.links, [&](const graph::Link& link) { return link.to == to; });
}

bool insertIntoWire(graph::Document& document,
                    const graph::Catalog& catalog,
                    const std::string& id,
                    const graph::PortRef& wireTo) {
    const graph::Link* found = linkInto(document, wireTo);
    const NodeDesc* desc = descOf(document, catalog, id);
    if (!found || !desc || found->from.node == id || wireTo.node == id) {
        return false;
    }
    const graph::Link wire = *found;
    const Fit fit = fitInto(document, catalog, id, *desc, wire);
    if (!fit.output) {
        return false;
    }
    const std::vector<Point> via = reroutesOf(wire);
    const double x = positionOf(document.nodes.at(id)).x;
    const auto middle =
        std::find_if(via.begin(), via.end(), [&](Point point) { return point.x > x; });
    graph::Link& rest = *findLink(document.links, wireTo);  // keeps the wire's unknown keys
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
    const auto link = findLink(document.links, to);
    if (link != document.links.end()) {
        putVia(*link, points);
    }
}

}  // namespace lowtide::ui
