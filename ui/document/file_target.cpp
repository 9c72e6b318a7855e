#include "ui/document/file_target.hpp"

#include "ui/document/auto_wires.hpp"
#include "ui/document/json_members.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr const char* kPromptId = "prompt";
constexpr std::string_view kBehindWords = " ,.:;()[]\t\n";
constexpr double kNextGap = 48;  ///< from a node to a new one that is wired to it

using graph::PortRef;

std::string valueIn(const graph::Document& document,
                    const std::string& node,
                    const std::string& param) {
    return textIn(document.nodes.at(node).params, param.c_str());
}

/// "file" of "file_1", and of "file".
std::string withoutNumber(const std::string& param) {
    return param.ends_with("_1") ? param.substr(0, param.size() - 2) : param;
}

/// One look at a graph for one file.
class FileSearch {
public:
    FileSearch(const graph::Document& document,
               const graph::Catalog& catalog,
               const Arrival& arrival,
               const DropSpot& spot,
               const NodeIds& selected)
        : document_(document),
          catalog_(catalog),
          arrival_(arrival),
          spot_(spot),
          selected_(selected) {}

    [[nodiscard]] std::optional<FileTarget> pointed() const {
        std::optional<FileTarget> found = spot_.wireTo ? onWire() : onNode();
        if (found) {
            found->isPointed = true;
        }
        return found;
    }

    /// The only node of the graph that takes it; a selected one, or one that has no file yet,
    /// before others.
    [[nodiscard]] std::optional<FileTarget> inGraph() const {
        std::vector<FileTarget> all;
        std::vector<FileTarget> selected;
        std::vector<FileTarget> empty;
        for (const auto& [id, node] : document_.nodes) {
            const std::optional<FileTarget> into =
                arrival_.others.contains(id) ? std::nullopt : intoNode(id);
            if (into) {
                all.push_back(*into);
                if (selected_.contains(id)) {
                    selected.push_back(*into);
                }
                if (valueIn(document_, id, into->param).empty()) {
                    empty.push_back(*into);
                }
            }
        }
        for (const auto* some : {&selected, &all, &empty}) {
            if (some->size() == 1) {
                return some->front();
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] FileTarget intoNewNode() const {
        FileTarget target = newNode();
        if (isPatch()) {
            target.patched = modelOfDenoisers(document_, catalog_, selected_);
        }
        return target;
    }

private:
    [[nodiscard]] const NodeDesc* descOf(const std::string& id) const {
        return ui::descOf(document_, catalog_, id);
    }

    [[nodiscard]] bool isTaken(const std::string& id) const {
        return spot_.taken && spot_.taken->contains(id);
    }

    /// Whether a new node would change what goes through a wire.
    [[nodiscard]] bool isPatch() const {
        return arrival_.newNode && patchedInput(*arrival_.newNode) != nullptr;
    }

    /// Of what a new node gives first; empty: it gives nothing.
    [[nodiscard]] std::string givenType() const {
        return arrival_.newNode && !arrival_.newNode->outputs.empty()
                   ? arrival_.newNode->outputs.front().type
                   : std::string();
    }

    [[nodiscard]] FileTarget newNode() const { return {.node = {}, .param = arrival_.newParam}; }

    /// The node's parameter that takes it; of numbered ones ("file_1", "file_2") the first that is
    /// free, else the first.
    [[nodiscard]] std::optional<FileTarget> intoNode(const std::string& id) const {
        const NodeDesc* desc = descOf(id);
        std::vector<std::string> fitting;
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            if (arrival_.fits(*desc, param)) {
                fitting.push_back(param.id);
            }
        }
        if (fitting.empty() || isTaken(id)) {
            return std::nullopt;
        }
        const bool isNumbered =
            fitting.size() > 1 && fitting[1] == withoutNumber(fitting[0]) + "_2";
        const auto free = std::ranges::find_if(fitting, [&](const std::string& param) {
            return valueIn(document_, id, param).empty();
        });
        return FileTarget{.node = id,
                          .param = isNumbered && free != fitting.end() ? *free : fitting.front()};
    }

    [[nodiscard]] std::optional<FileTarget> onNode() const {
        const NodeDesc* desc = descOf(spot_.node);
        if (!desc) {
            return std::nullopt;
        }
        const ParamDesc* param = graph::findParam(*desc, spot_.param);
        if (param && arrival_.fits(*desc, *param) && !isTaken(spot_.node)) {
            return FileTarget{.node = spot_.node, .param = param->id};
        }
        if (std::optional<FileTarget> into = intoNode(spot_.node)) {
            return into;
        }
        return isPatch() ? behindNode(*desc) : beforeNode(*desc);
    }

    /// A new node that changes what the node under the pointer reads, else what it gives.
    [[nodiscard]] std::optional<FileTarget> behindNode(const NodeDesc& desc) const {
        const PortDesc* input = portOfType(desc.inputs, givenType());
        const PortDesc* output = portOfType(desc.outputs, givenType());
        const graph::Link* link = input ? linkInto(document_, {spot_.node, input->id}) : nullptr;
        const bool isFed = link && descOf(link->from.node);
        if (!isFed && !output) {
            return std::nullopt;
        }
        FileTarget target = newNode();
        target.patched = isFed ? link->from : PortRef{spot_.node, output->id};
        return target;
    }

    /// The node that feeds the one under the pointer, else a new one that will.
    [[nodiscard]] std::optional<FileTarget> beforeNode(const NodeDesc& desc) const {
        std::vector<const PortDesc*> inputs;
        for (const bool isOptional : {false, true}) {
            for (const PortDesc& input : desc.inputs) {
                if (input.optional == isOptional && input.type == givenType()) {
                    inputs.push_back(&input);
                }
            }
        }
        for (const PortDesc* input : inputs) {
            const graph::Link* link = linkInto(document_, {spot_.node, input->id});
            if (std::optional<FileTarget> into = link ? intoNode(link->from.node) : std::nullopt) {
                return into;
            }
            if (!link) {
                FileTarget target = newNode();
                target.feeds = PortRef{spot_.node, input->id};
                return target;
            }
        }
        return std::nullopt;
    }

    /// What feeds the wire, or a node that changes what goes through it.
    [[nodiscard]] std::optional<FileTarget> onWire() const {
        const graph::Link* link = linkInto(document_, *spot_.wireTo);
        const NodeDesc* source = link ? descOf(link->from.node) : nullptr;
        const PortDesc* output = source ? graph::findOutput(*source, link->from.port) : nullptr;
        if (!output || output->type != givenType()) {
            return std::nullopt;
        }
        if (!isPatch()) {
            return intoNode(link->from.node);
        }
        FileTarget target = newNode();
        target.patched = link->from;
        return target;
    }

    const graph::Document& document_;
    const graph::Catalog& catalog_;
    const Arrival& arrival_;
    const DropSpot& spot_;
    const NodeIds& selected_;
};

/// The only node type that makes something of values of that type; nullptr: none, or several do.
const NodeDesc* onlyTakerOf(const graph::Catalog& catalog, const std::string& type) {
    const NodeDesc* found = nullptr;
    for (const NodeDesc& desc : catalog.nodes()) {
        const bool needs =
            !desc.output && std::ranges::any_of(desc.inputs, [&](const PortDesc& input) {
                return input.type == type && !input.optional;
            });
        if (needs && found) {
            return nullptr;
        }
        found = needs ? &desc : found;
    }
    return found;
}

/// Where the new node lies: where the user let go; else next to what it is wired to.
Point pointFor(const graph::Document& document,
               const FileTarget& target,
               const DropSpot& spot,
               const NodeSizes& sizes,
               Point size) {
    const auto& wired = target.patched ? target.patched : target.feeds;
    if (spot.isAt || !wired) {
        return spot.at;
    }
    const NodeBox box = nodeBoxesOf(document, {wired->node}, sizes).front();
    return {target.patched ? box.right() + kNextGap : box.topLeft.x - size.x - kNextGap,
            box.topLeft.y};
}

/// Wires of what the node gives on, in its changed form, into the nodes at the end of the graph:
/// an image is enlarged before it is saved.
void insertBeforeEnds(graph::Document& document,
                      const graph::Catalog& catalog,
                      const std::string& id) {
    const NodeDesc& desc = *descOf(document, catalog, id);
    const PortDesc* input = patchedInput(desc);
    const graph::Link* given = input ? linkInto(document, {id, input->id}) : nullptr;
    if (!given) {
        return;
    }
    const PortRef source = given->from;
    for (graph::Link& link : document.links) {
        const NodeDesc* end = descOf(document, catalog, link.to.node);
        if (link.from == source && link.to.node != id && end && end->output) {
            link.from = {id, desc.outputs.front().id};
        }
    }
}

/// One node while it is added, and what it brings.
class Adding {
public:
    Adding(graph::Document& document,
           const graph::Catalog& catalog,
           const NodeIds& preferred,
           CanvasSizes& sizes)
        : document_(document), catalog_(catalog), preferred_(preferred), sizes_(sizes) {}

    std::string add(const NodeDesc& desc, Point at) {
        const std::string id = addNodeNear(document_, desc, at, sizes_);
        added_.insert(id);
        return id;
    }

    /// Wires it, with the node that what it gives is for where nothing else reads it.
    void wire(const std::string& id, const FileTarget& target) {
        const NodeDesc& desc = *descOf(document_, catalog_, id);
        if (target.patched) {
            insertBehind(document_, catalog_, id, *target.patched);
            return;
        }
        if (target.feeds) {
            connect(document_, {id, desc.outputs.front().id}, *target.feeds);
        }
        connectFreePorts(document_, catalog_, id, preferred_);
        const NodeDesc* taker = desc.outputs.empty() || isRead(id)
                                    ? nullptr
                                    : onlyTakerOf(catalog_, desc.outputs.front().type);
        if (taker) {
            bring(*taker, id);
        }
    }

    [[nodiscard]] const NodeIds& added() const { return added_; }

private:
    [[nodiscard]] bool isRead(const std::string& id) const {
        return std::ranges::any_of(document_.links,
                                   [&](const graph::Link& link) { return link.from.node == id; });
    }

    void bring(const NodeDesc& taker, const std::string& id) {
        const NodeBox box = nodeBoxesOf(document_, {id}, sizes_.nodes).front();
        const std::string brought = add(taker, {box.right() + kNextGap, box.topLeft.y});
        const NodeDesc& desc = *descOf(document_, catalog_, id);
        const PortDesc* input = portOfType(taker.inputs, desc.outputs.front().type);
        connect(document_, {id, desc.outputs.front().id}, {brought, input->id});
        connectFreePorts(document_, catalog_, brought, preferred_);
        if (!isRead(brought)) {
            insertBeforeEnds(document_, catalog_, brought);
        }
    }

    graph::Document& document_;
    const graph::Catalog& catalog_;
    const NodeIds& preferred_;
    CanvasSizes& sizes_;
    NodeIds added_;
};

NodeIds joinedWith(const graph::Document& document, const NodeIds& added) {
    NodeIds joined;
    for (const graph::Link& link : document.links) {
        if (added.contains(link.from.node) != added.contains(link.to.node)) {
            joined.insert(added.contains(link.from.node) ? link.to.node : link.from.node);
        }
    }
    return joined;
}

/// Whether the parameter is a text that the node encodes.
bool isPrompt(const NodeDesc& desc, const ParamDesc& param) {
    return param.kind == ParamKind::Text && param.multiline &&
           portOfType(desc.outputs, kConditioningType) != nullptr;
}

/// The positive prompt of the node; nothing: it has none.
std::optional<PortRef> promptOf(const graph::Document& document,
                                const graph::Catalog& catalog,
                                const std::string& id) {
    const NodeDesc* desc = descOf(document, catalog, id);
    const ParamDesc* param = desc ? graph::findParam(*desc, kPromptId) : nullptr;
    return param && isPrompt(*desc, *param) ? std::optional(PortRef{id, param->id}) : std::nullopt;
}

}  // namespace

FileTarget targetFor(const graph::Document& document,
                     const graph::Catalog& catalog,
                     const Arrival& arrival,
                     const DropSpot& spot,
                     const NodeIds& selected) {
    const FileSearch search(document, catalog, arrival, spot, selected);
    if (const std::optional<FileTarget> target = search.pointed()) {
        return *target;
    }
    if (const std::optional<FileTarget> target = search.inGraph()) {
        return *target;
    }
    return search.intoNewNode();
}

std::optional<PortRef> takerOf(const FileTarget& target) {
    if (!target.node.empty()) {
        return PortRef{target.node, target.param};
    }
    return target.patched ? target.patched : target.feeds;
}

InsertedFile insertFile(graph::Document& document,
                        const graph::Catalog& catalog,
                        const Arrival& arrival,
                        const FileTarget& target,
                        const DropSpot& spot,
                        CanvasSizes sizes) {
    if (!target.node.empty()) {
        InsertedFile inserted{.node = target.node,
                              .param = target.param,
                              .replaced = valueIn(document, target.node, target.param),
                              .added = {},
                              .joined = {}};
        document.nodes.at(target.node).params[target.param] = arrival.value;
        return inserted;
    }
    const NodeDesc& desc = *arrival.newNode;
    const Point size = sizes.ofNew ? sizes.ofNew(desc) : Point{};
    const NodeIds preferred = spot.node.empty() ? NodeIds() : NodeIds{spot.node};
    Adding adding(document, catalog, preferred, sizes);
    const std::string id = adding.add(desc, pointFor(document, target, spot, sizes.nodes, size));
    document.nodes.at(id).params[target.param] = arrival.value;
    adding.wire(id, target);
    return {.node = id,
            .param = target.param,
            .replaced = {},
            .added = adding.added(),
            .joined = joinedWith(document, adding.added())};
}

std::optional<graph::PortRef> promptFor(const graph::Document& document,
                                        const graph::Catalog& catalog,
                                        const DropSpot& spot,
                                        const NodeIds& selected) {
    const NodeDesc* desc = descOf(document, catalog, spot.node);
    const ParamDesc* param = desc ? graph::findParam(*desc, spot.param) : nullptr;
    if (param && isPrompt(*desc, *param)) {
        return PortRef{spot.node, param->id};
    }
    if (const auto prompt = promptOf(document, catalog, spot.node)) {
        return prompt;
    }
    std::vector<PortRef> all;
    std::vector<PortRef> chosen;
    for (const auto& [id, node] : document.nodes) {
        if (const auto prompt = promptOf(document, catalog, id)) {
            all.push_back(*prompt);
            if (selected.contains(id)) {
                chosen.push_back(*prompt);
            }
        }
    }
    const std::vector<PortRef>& meant = chosen.empty() ? all : chosen;
    return meant.size() == 1 ? std::optional(meant.front()) : std::nullopt;
}

std::string withWords(const std::string& prompt, const std::string& words) {
    for (size_t at = prompt.find(words); at != std::string::npos; at = prompt.find(words, at + 1)) {
        const size_t end = at + words.size();
        if (end == prompt.size() || kBehindWords.find(prompt[end]) != std::string_view::npos) {
            return prompt;
        }
    }
    const size_t end = prompt.find_last_not_of(" \t\n");
    if (end == std::string::npos) {
        return words;
    }
    return prompt.substr(0, end + 1) + (prompt[end] == ',' ? " " : ", ") + words;
}

}  // namespace lowtide::ui
