#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"
#include "ui/document/groups.hpp"

#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::ui {

struct PortFace {
    std::string id;
    QString label;
    QString tooltip;
    std::string type;
    bool isOptional = false;
    bool isLinked = false;
    bool isKnown = true;    ///< false: only the file's links name it
    bool isFolded = false;  ///< its node shows how many such inputs it has in place of each
    graph::PortRef ref{};   ///< in the document: of a group's port, that of the node in it
};

/// Whether the node does without it and nothing is wired to it.
[[nodiscard]] bool isUnused(const PortFace& port);

/// One parameter as a row of the node.
struct RowFace {
    std::string param;
    const ParamDesc* desc = nullptr;  ///< nullptr: unknown, shown but not edited
    QString label;
    QString value;
    Json json;
    bool isLong = false;  ///< a text of several lines: its label stands above
    int lines = 1;        ///< of text that are shown
    bool isExposed = false;
    std::string node{};  ///< that has the parameter: of a group's row, the one in it
};

/// What a node shows, taken from its description and the document; or what a folded group does,
/// whose ports and rows have a nameInGroup().
struct NodeFace {
    std::string id;
    const NodeDesc* desc = nullptr;  ///< nullptr: a placeholder, or a group
    bool isGroup = false;
    QString title;
    QString subtitle;  ///< category, or why it is a placeholder
    graph::NodeMode mode = graph::NodeMode::Active;
    bool isCollapsed = false;
    bool isPinned = false;
    bool canFoldInputs = false;      ///< several of them are unused
    bool showsUnusedInputs = false;  ///< as the user asked
    std::vector<PortFace> inputs;
    std::vector<PortFace> outputs;
    std::vector<RowFace> rows;

    [[nodiscard]] int inputIndex(const std::string& port) const;   ///< -1: none
    [[nodiscard]] int outputIndex(const std::string& port) const;  ///< -1: none
    [[nodiscard]] int rowIndex(const std::string& param) const;    ///< -1: none

    [[nodiscard]] bool isPlaceholder() const { return desc == nullptr && !isGroup; }

    /// Labels of the inputs that are folded.
    [[nodiscard]] QStringList foldedInputs() const;
};

/// Ports of a node that links name, in the order of the links.
struct LinkedPorts {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};

[[nodiscard]] std::map<std::string, LinkedPorts> linkedPorts(const graph::Document& document);

/// `linked` of that node; the node must be there. Advanced parameters are rows only when their
/// value is not the default.
[[nodiscard]] NodeFace faceOf(const graph::Document& document,
                              const graph::Catalog& catalog,
                              const std::string& id,
                              const LinkedPorts& linked);

/// Of a group, as it is folded: ports of wires that cross its border, inputs that lack a wire, what
/// nothing reads at its end, and what the user chose. No two ports or rows are called alike.
[[nodiscard]] NodeFace groupFace(const graph::Document& document,
                                 const graph::Catalog& catalog,
                                 const Groups& groups,
                                 const std::string& id,
                                 const std::map<std::string, LinkedPorts>& linked);

/// One end of a wire.
struct WireEnd {
    graph::PortRef port;
    bool isOutput = true;  ///< whether `port` is an output
};

/// Its wire type, as the description of its node states; "*": nobody knows.
[[nodiscard]] std::string typeAt(const WireEnd& end,
                                 const graph::Document& document,
                                 const graph::Catalog& catalog);

/// The worst issue of a node, and of each port and row of it that is shown.
struct NodeIssues {
    std::optional<Severity> worst;
    std::map<std::string, Severity> items;

    [[nodiscard]] std::optional<Severity> of(const std::string& item) const;
};

/// Mere information is no badge.
[[nodiscard]] NodeIssues issuesOf(const Issues& issues);

/// The sentences about one port or row, or (empty item) about the whole node, for a tooltip.
[[nodiscard]] QString issueText(const Issues& issues, const std::string& item);

}  // namespace lowtide::ui
