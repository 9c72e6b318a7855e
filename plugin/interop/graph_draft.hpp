#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/interop/prompt.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::interop {

/// The graph that an import makes, with the class there that each node stands for.
class GraphDraft {
public:
    /// No further node is given an id that the prompt has.
    GraphDraft(const graph::Catalog& catalog, const Prompt& prompt);

    /// The id of a node that stands for `id` there; `name` tells several from each other, empty:
    /// the first. The same names have the same id.
    [[nodiscard]] std::string idOf(const std::string& id, const std::string& name);

    void put(const std::string& id, const std::string& type, graph::DocumentNode node);

    [[nodiscard]] bool contains(const std::string& id) const { return nodes_.contains(id); }

    [[nodiscard]] const std::map<std::string, graph::DocumentNode>& nodes() const { return nodes_; }

    [[nodiscard]] Json& params(const std::string& id) { return nodes_.at(id).params; }

    /// The class that the node stands for.
    [[nodiscard]] const std::string& classOf(const std::string& id) const {
        return classes_.at(id);
    }

    /// nullptr: there is no such node, or its type is unknown.
    [[nodiscard]] const NodeDesc* descOf(const std::string& id) const;
    [[nodiscard]] bool hasOutput(const graph::PortRef& port) const;
    /// Of an output; empty: it is not known.
    [[nodiscard]] std::string typeOf(const graph::PortRef& port) const;

    /// An input keeps its first wire.
    void link(const graph::PortRef& from, const graph::PortRef& to) { wires_.emplace(to, from); }

    /// In place of the wire that is there.
    void relink(const graph::PortRef& from, const graph::PortRef& to) { wires_[to] = from; }

    /// By the inputs that they lead to.
    [[nodiscard]] const std::map<graph::PortRef, graph::PortRef>& wires() const { return wires_; }

    /// Nothing: the input is open.
    [[nodiscard]] std::optional<graph::PortRef> sourceOf(const graph::PortRef& to) const;
    /// What such an input of the nearest node is wired to, from that wire on backwards.
    [[nodiscard]] std::optional<graph::PortRef> sourceBefore(const graph::PortRef& wire,
                                                             const std::string& port) const;

    /// Puts a second node of that kind, with the same parameters and wires.
    void copy(const std::string& id, const std::string& own);

    /// Nodes that have a parameter, and the wire that comes from them.
    struct Owners {
        graph::PortRef wire;
        std::vector<std::string> nodes{};
        std::map<std::string, std::string> copies{};  ///< by what they were made of
    };

    /// The nearest ones, from that wire on backwards along prompts and models; of prompts that are
    /// combined, of each. `copiedFor`: the node there that copies of them are made for; empty:
    /// none.
    [[nodiscard]] Owners ownersOf(const std::string& param,
                                  const graph::PortRef& wire,
                                  const std::string& copiedFor);
    /// Nodes that nothing is wired to any more, since copies are, give their ids to the first of
    /// these.
    void settleCopies();

    /// Of a conditioning the first prompt alone.
    [[nodiscard]] graph::PortRef firstPrompt(const graph::PortRef& wire);
    /// The output of that name of the node that encoded the first prompt of a conditioning;
    /// nothing: it has none.
    [[nodiscard]] std::optional<graph::PortRef> encoded(const graph::PortRef& wire,
                                                        const std::string& port) const;

    /// Puts *Fit image* before that port: width and height become multiples of what the model
    /// takes.
    void fit(const graph::PortRef& image, const graph::PortRef& model);

    /// What was put and linked, links in the order of documents.
    [[nodiscard]] graph::Document take();

private:
    struct Search;

    graph::PortRef ownedWire(Search& search, const graph::PortRef& wire, int depth);
    [[nodiscard]] std::vector<graph::PortRef> promptPorts(const std::string& id) const;
    [[nodiscard]] std::vector<graph::PortRef> firstPrompts(const graph::PortRef& wire) const;
    [[nodiscard]] std::set<std::string> abandonedNodes();
    void rename(const std::map<std::string, std::string>& names);
    [[nodiscard]] bool isOfType(const std::string& id, const char* type) const;

    const graph::Catalog& catalog_;
    std::set<std::string> taken_;  ///< ids
    size_t lastNumber_ = 1;        ///< that an id was given, so that no other is looked for again
    std::map<std::pair<std::string, std::string>, std::string> further_;  ///< ids by idOf's names
    std::map<std::string, graph::DocumentNode> nodes_;
    std::map<std::string, std::string> classes_;
    std::map<graph::PortRef, graph::PortRef> wires_;
    std::map<std::string, std::vector<std::string>> copies_;  ///< by what they were made of
    std::set<std::string> copied_;
};

/// Which parameter of a graph has the value of a node and input there.
using ValueOrigins = std::map<std::pair<std::string, std::string>, graph::PortRef>;

/// Adds what a workflow has around its nodes: groups, those of `groupsUsed` and around them, with
/// the values that they show, notes and frames.
void addCanvasParts(const Prompt& prompt,
                    const ValueOrigins& origins,
                    const std::set<std::string>& groupsUsed,
                    graph::Document& document);

/// Further down and to the right.
[[nodiscard]] Json movedDown(const Json& position, double by);

/// Canvas units between the nodes that stand for one of ComfyUI.
inline constexpr double kCascade = 40;
/// The node that has the prompts of both its inputs, first and second.
inline constexpr const char* kCombine = "conditioning.combine";
/// Nodes that are looked at on a way back.
inline constexpr int kFarthestBefore = 256;

}  // namespace lowtide::interop
