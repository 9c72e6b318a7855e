#include "ui/canvas/node_face.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/param_editor.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kLeastFolded = 2;  ///< one input takes no less space than the line in its place
constexpr int kLeastLines = 2;
constexpr int kMostLines = 4;
constexpr int kLettersOfALine = 30;  ///< about; the painter wraps exactly
constexpr char16_t kFirstWide =
    0x2e80;  ///< from here on letters are twice as wide, of Chinese and its kin

struct FaceWords {
    Q_DECLARE_TR_FUNCTIONS(NodeFace)
};

template <typename List>
int indexIn(const List& list, const std::string& id) {
    const auto found = std::find_if(list.begin(), list.end(), [&id](const auto& one) {
        if constexpr (requires { one.param; }) {
            return one.param == id;
        } else {
            return one.id == id;
        }
    });
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

std::vector<PortFace> facesOf(const std::string& node, const std::vector<PortDesc>& ports) {
    std::vector<PortFace> faces;
    for (const PortDesc& port : ports) {
        faces.push_back({.id = port.id,
                         .label = QString::fromStdString(port.label),
                         .tooltip = QString::fromStdString(port.tooltip),
                         .type = port.type,
                         .isOptional = port.optional,
                         .ref = {node, port.id}});
    }
    return faces;
}

/// The other end of the first link at the port determines what flows there.
std::string typeAtOtherEnd(const graph::Document& document,
                           const graph::Catalog& catalog,
                           const graph::PortRef& port,
                           bool isInput) {
    for (const graph::Link& link : document.links) {
        if ((isInput ? link.to : link.from) == port) {
            return typeAt({isInput ? link.from : link.to, isInput}, document, catalog);
        }
    }
    return "*";
}

void addLinkedPorts(NodeFace& face,
                    const graph::Document& document,
                    const graph::Catalog& catalog,
                    const LinkedPorts& linked) {
    const auto add = [&](std::vector<PortFace>& ports, const std::string& id, bool isInput) {
        if (const int known = indexIn(ports, id); known >= 0) {
            ports[static_cast<size_t>(known)].isLinked = true;
        } else {
            ports.push_back(
                {.id = id,
                 .label = QString::fromStdString(id),
                 .tooltip = FaceWords::tr("The file names this port; no such port is known here."),
                 .type = typeAtOtherEnd(document, catalog, {face.id, id}, isInput),
                 .isOptional = true,
                 .isLinked = true,
                 .isKnown = false,
                 .ref = {face.id, id}});
        }
    };
    for (const std::string& input : linked.inputs) {
        add(face.inputs, input, true);
    }
    for (const std::string& output : linked.outputs) {
        add(face.outputs, output, false);
    }
}

void foldUnusedInputs(NodeFace& face) {
    face.canFoldInputs =
        std::count_if(face.inputs.begin(), face.inputs.end(), isUnused) >= kLeastFolded;
    for (PortFace& input : face.inputs) {
        input.isFolded = face.canFoldInputs && !face.showsUnusedInputs && isUnused(input);
    }
}

QString plainText(const Json& value) {
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

/// Lines that a long text is shown with; an empty one takes one.
int shownLines(const QString& text) {
    if (text.isEmpty()) {
        return 1;
    }
    const auto wide = std::count_if(
        text.begin(), text.end(), [](QChar letter) { return letter.unicode() >= kFirstWide; });
    const auto lines = (text.size() + wide) / kLettersOfALine + text.count(u'\n') + 1;
    return std::clamp(static_cast<int>(lines), kLeastLines, kMostLines);
}

RowFace rowFaceOf(const graph::DocumentNode& node, const ParamDesc& param) {
    RowFace row{.param = param.id,
                .desc = &param,
                .label = QString::fromStdString(param.label),
                .json = graph::valueOf(node, param)};
    row.value =
        param.multiline && row.json.is_string() ? plainText(row.json) : valueText(param, row.json);
    if (param.kind == ParamKind::Seed && seedModeOf(node, param.id) == SeedMode::Random) {
        row.value = FaceWords::tr("%1, random").arg(row.value);
    }
    row.isLong = param.multiline;
    row.lines = param.multiline ? shownLines(row.value) : 1;
    return row;
}

std::vector<RowFace> rowsOf(const graph::DocumentNode& node, const NodeDesc* desc) {
    std::vector<RowFace> rows;
    if (desc != nullptr) {
        for (const ParamDesc& param : desc->params) {
            RowFace row = rowFaceOf(node, param);
            if (!param.advanced || row.json != graph::toJson(param.defaultValue)) {
                rows.push_back(std::move(row));
            }
        }
        return rows;
    }
    if (node.params.is_object()) {
        for (const auto& [key, value] : node.params.items()) {
            rows.push_back({.param = key,
                            .label = QString::fromStdString(key),
                            .value = plainText(value),
                            .json = value});
        }
    }
    return rows;
}

void markExposed(NodeFace& face, const graph::Document& document) {
    for (RowFace& row : face.rows) {
        const std::string& param = row.desc != nullptr ? row.desc->id : row.param;
        row.isExposed =
            std::ranges::any_of(document.exposed, [&](const graph::ExposedParam& exposed) {
                return exposed.node == row.node && exposed.param == param;
            });
    }
}

/// Ends of wires on either side of the border of a group.
struct Crossings {
    std::set<graph::PortRef> inputs;
    std::set<graph::PortRef> outputs;
};

Crossings crossingsAt(const graph::Document& document, const NodeIds& nodes) {
    Crossings crossings;
    for (const graph::Link& link : document.links) {
        const bool isFromWithin = nodes.contains(link.from.node);
        const bool isIntoIt = nodes.contains(link.to.node);
        if (isFromWithin && !isIntoIt) {
            crossings.outputs.insert(link.from);
        } else if (isIntoIt && !isFromWithin) {
            crossings.inputs.insert(link.to);
        }
    }
    return crossings;
}

/// Of one node in a group: what crosses its border, what was chosen, and what `isOpen`.
void addGroupPorts(std::vector<PortFace>& shown,
                   const std::vector<PortFace>& ports,
                   const std::vector<GroupPort>& chosen,
                   const std::set<graph::PortRef>& crossing,
                   bool (*isOpen)(const std::vector<PortFace>& ports, const PortFace& port)) {
    for (const PortFace& port : ports) {
        const auto own = std::ranges::find(chosen, port.ref, &GroupPort::port);
        const bool isCrossing = crossing.contains(port.ref);
        if (!isCrossing && own == chosen.end() && !isOpen(ports, port)) {
            continue;
        }
        PortFace& face = shown.emplace_back(port);
        face.id = nameInGroup(port.ref);
        face.isLinked = isCrossing;
        face.isFolded = false;
        if (own != chosen.end() && !own->label.empty()) {
            face.label = QString::fromStdString(own->label);
        }
    }
}

bool lacksWire(const std::vector<PortFace>&, const PortFace& input) {
    return !input.isOptional && !input.isLinked;
}

bool isAnEnd(const std::vector<PortFace>& outputs, const PortFace&) {
    return std::ranges::none_of(outputs, &PortFace::isLinked);
}

/// Nodes by where they lie, from left to right.
std::vector<std::string> fromLeft(const graph::Document& document, const NodeIds& nodes) {
    std::vector<std::string> order(nodes.begin(), nodes.end());
    std::ranges::stable_sort(order, [&](const std::string& a, const std::string& b) {
        const Point left = positionOf(document.nodes.at(a));
        const Point right = positionOf(document.nodes.at(b));
        return std::pair(left.x, left.y) < std::pair(right.x, right.y);
    });
    return order;
}

/// Adds the node's title where two labels are equal, and a number where that does not do.
template <typename List, typename NodeOf>
void makeDistinct(List& list,
                  const graph::Document& document,
                  const graph::Catalog& catalog,
                  const NodeOf& nodeOf) {
    std::map<QString, int> count;
    for (const auto& one : list) {
        ++count[one.label];
    }
    std::map<QString, int> used;
    for (auto& one : list) {
        if (count[one.label] > 1) {
            one.label = FaceWords::tr("%1 (%2)", "port or value, node")
                            .arg(one.label, nodeTitle(document, catalog, nodeOf(one)));
        }
        if (const int number = ++used[one.label]; number > 1) {
            one.label += QStringLiteral(" %1").arg(number);
        }
    }
}

}  // namespace

bool isUnused(const PortFace& port) {
    return port.isOptional && !port.isLinked && port.isKnown;
}

int NodeFace::inputIndex(const std::string& port) const {
    return indexIn(inputs, port);
}

int NodeFace::outputIndex(const std::string& port) const {
    return indexIn(outputs, port);
}

int NodeFace::rowIndex(const std::string& param) const {
    return indexIn(rows, param);
}

QStringList NodeFace::foldedInputs() const {
    QStringList labels;
    for (const PortFace& input : inputs) {
        if (input.isFolded) {
            labels << input.label;
        }
    }
    return labels;
}

std::map<std::string, LinkedPorts> linkedPorts(const graph::Document& document) {
    std::map<std::string, LinkedPorts> linked;
    const auto add = [](std::vector<std::string>& ports, const std::string& port) {
        if (std::find(ports.begin(), ports.end(), port) == ports.end()) {
            ports.push_back(port);
        }
    };
    for (const graph::Link& link : document.links) {
        add(linked[link.from.node].outputs, link.from.port);
        add(linked[link.to.node].inputs, link.to.port);
    }
    return linked;
}

NodeFace faceOf(const graph::Document& document,
                const graph::Catalog& catalog,
                const std::string& id,
                const LinkedPorts& linked) {
    const graph::DocumentNode& node = document.nodes.at(id);
    NodeFace face{.id = id,
                  .desc = catalog.find(node.type),
                  .mode = node.mode,
                  .isCollapsed = isCollapsed(node),
                  .isPinned = isPinned(node),
                  .showsUnusedInputs = showsUnusedInputs(node)};
    const std::string& typeLabel = face.desc != nullptr ? face.desc->label : node.type;
    face.title = nodeTitle(document, catalog, id);
    face.subtitle = face.desc != nullptr
                        ? QString::fromStdString(node.title ? typeLabel : face.desc->category)
                        : FaceWords::tr("Not installed here");
    if (face.desc != nullptr) {
        face.inputs = facesOf(id, face.desc->inputs);
        face.outputs = facesOf(id, face.desc->outputs);
    }
    addLinkedPorts(face, document, catalog, linked);
    foldUnusedInputs(face);
    face.rows = rowsOf(node, face.desc);
    for (RowFace& row : face.rows) {
        row.node = id;
    }
    markExposed(face, document);
    return face;
}

NodeFace groupFace(const graph::Document& document,
                   const graph::Catalog& catalog,
                   const Groups& groups,
                   const std::string& id,
                   const std::map<std::string, LinkedPorts>& linked) {
    const Group& group = *groups.find(id);
    const NodeIds nodes = groups.nodesIn(id);
    const Crossings crossings = crossingsAt(document, nodes);
    NodeFace face{.id = id, .isGroup = true};
    face.title = QString::fromStdString(group.title);
    face.subtitle = FaceWords::tr("%n node(s)", nullptr, static_cast<int>(nodes.size()));
    face.mode = document.nodes.at(*nodes.begin()).mode;
    for (const std::string& node : fromLeft(document, nodes)) {
        const auto own = linked.find(node);
        const NodeFace member =
            faceOf(document, catalog, node, own == linked.end() ? LinkedPorts() : own->second);
        addGroupPorts(face.inputs, member.inputs, group.inputs, crossings.inputs, lacksWire);
        addGroupPorts(face.outputs, member.outputs, group.outputs, crossings.outputs, isAnEnd);
        face.mode = member.mode == face.mode ? face.mode : graph::NodeMode::Active;
        face.isPinned = face.isPinned || member.isPinned;
    }
    for (const graph::PortRef& value : group.values) {
        const NodeDesc* desc = descOf(document, catalog, value.node);
        const ParamDesc* param = desc ? graph::findParam(*desc, value.port) : nullptr;
        if (param != nullptr) {
            RowFace& row = face.rows.emplace_back(rowFaceOf(document.nodes.at(value.node), *param));
            row.param = nameInGroup(value);
            row.node = value.node;
        }
    }
    markExposed(face, document);
    const auto nodeOfPort = [](const PortFace& port) { return port.ref.node; };
    makeDistinct(face.inputs, document, catalog, nodeOfPort);
    makeDistinct(face.outputs, document, catalog, nodeOfPort);
    makeDistinct(face.rows, document, catalog, [](const RowFace& row) { return row.node; });
    return face;
}

std::string typeAt(const WireEnd& end,
                   const graph::Document& document,
                   const graph::Catalog& catalog) {
    const NodeDesc* desc = descOf(document, catalog, end.port.node);
    const auto find = end.isOutput ? graph::findOutput : graph::findInput;
    const PortDesc* port = desc == nullptr ? nullptr : find(*desc, end.port.port);
    return port == nullptr ? "*" : port->type;
}

std::optional<Severity> NodeIssues::of(const std::string& item) const {
    const auto found = items.find(item);
    return found == items.end() ? std::nullopt : std::optional(found->second);
}

NodeIssues issuesOf(const Issues& issues) {
    NodeIssues result;
    for (const Issue& issue : issues) {
        if (issue.severity == Severity::Info) {
            continue;
        }
        result.worst = std::max(result.worst.value_or(Severity::Info), issue.severity);
        if (!issue.item.empty()) {
            const auto found = result.items.emplace(issue.item, issue.severity).first;
            found->second = std::max(found->second, issue.severity);
        }
    }
    return result;
}

QString issueText(const Issues& issues, const std::string& item) {
    QStringList sentences;
    for (const Issue& issue : issues) {
        if (item.empty() || issue.item == item) {
            const QString message = QString::fromStdString(issue.message.str());
            sentences << (issue.hint.empty()
                              ? message
                              : message + u'\n' + QString::fromStdString(issue.hint.str()));
        }
    }
    return sentences.join(QStringLiteral("\n\n"));
}

}  // namespace lowtide::ui
