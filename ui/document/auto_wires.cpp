#include "ui/document/auto_wires.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace lowtide::ui {

namespace {

using graph::PortRef;

bool isRead(const graph::Document& document, const PortRef& output) {
    return std::ranges::any_of(document.links,
                               [&](const graph::Link& link) { return link.from == output; });
}

bool mayConnect(const graph::Document& document,
                const graph::Catalog& catalog,
                const PortRef& from,
                const PortRef& to) {
    return wireRefusal(document, catalog, from, to).empty();
}

std::optional<PortRef> onlyOf(const std::vector<PortRef>& ports) {
    return ports.size() == 1 ? std::optional(ports.front()) : std::nullopt;
}

/// Of one kind of inputs: those of `preferred`, where there are any.
std::optional<PortRef> onlyOf(const std::vector<PortRef>& ports, const NodeIds& preferred) {
    std::vector<PortRef> chosen;
    std::ranges::copy_if(ports, std::back_inserter(chosen), [&](const PortRef& port) {
        return preferred.contains(port.node);
    });
    return onlyOf(chosen.empty() ? ports : chosen);
}

NodeIds sourcesOfDenoisers(const graph::Document& document,
                           const graph::Catalog& catalog,
                           const NodeIds& among) {
    NodeIds sources;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = descOf(document, catalog, id);
        const std::string source =
            desc && hasDenoiser(*desc) ? modelSource(document, catalog, id) : std::string();
        const bool isMeant = among.empty() || among.contains(id) || among.contains(source);
        if (!source.empty() && isMeant) {
            sources.insert(source);
        }
    }
    return sources;
}

/// What could feed an input: of its type, but for what nobody reads of a node that only gives on
/// what it got.
std::vector<PortRef> outputsFor(const graph::Document& document,
                                const graph::Catalog& catalog,
                                const PortRef& to,
                                const std::string& type) {
    std::vector<PortRef> outputs;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = descOf(document, catalog, id);
        for (const PortDesc& port : desc ? desc->outputs : std::vector<PortDesc>()) {
            const PortRef output{id, port.id};
            const bool isMeant =
                port.type == type &&
                (isRead(document, output) || graph::passedInput(*desc, port.id) == nullptr);
            if (isMeant && mayConnect(document, catalog, output, to)) {
                outputs.push_back(output);
            }
        }
    }
    return outputs;
}

/// The only one; else the only one of the input's own name; else the one to which all others lead.
std::optional<PortRef> bestOf(const graph::Document& document,
                              std::vector<PortRef> outputs,
                              const PortRef& to) {
    std::vector<PortRef> named;
    std::ranges::copy_if(outputs, std::back_inserter(named), [&](const PortRef& output) {
        return output.port == to.port;
    });
    if (outputs.size() > 1 && !named.empty()) {
        outputs = named;
    }
    std::map<std::string, NodeIds> behind;
    for (const PortRef& output : outputs) {
        if (outputs.size() > 1 && !behind.contains(output.node)) {
            behind[output.node] = reachedFrom(document, output.node);
        }
    }
    const auto last = std::ranges::find_if(outputs, [&](const PortRef& candidate) {
        return std::ranges::all_of(outputs, [&](const PortRef& other) {
            return other == candidate ||
                   (other.node != candidate.node && behind.at(other.node).contains(candidate.node));
        });
    });
    return last == outputs.end() ? std::nullopt : std::optional(*last);
}

void connectInput(graph::Document& document,
                  const graph::Catalog& catalog,
                  const PortRef& to,
                  const std::string& type) {
    const std::vector<PortRef> outputs = outputsFor(document, catalog, to, type);
    std::vector<PortRef> unread;
    std::ranges::copy_if(outputs, std::back_inserter(unread), [&](const PortRef& output) {
        return !isRead(document, output);
    });
    std::optional<PortRef> best = bestOf(document, unread, to);
    if (!best) {
        best = bestOf(document, outputs, to);
    }
    if (best) {
        connect(document, *best, to);
    }
}

/// What else the two nodes have of the type and of one name: Negative with Positive.
void connectSiblings(graph::Document& document,
                     const graph::Catalog& catalog,
                     const std::string& from,
                     const std::string& to,
                     const std::string& type) {
    const NodeDesc* source = descOf(document, catalog, from);
    const NodeDesc* target = descOf(document, catalog, to);
    for (const PortDesc& input : target->inputs) {
        const PortDesc* output = graph::findOutput(*source, input.id);
        const bool isMeant = output && output->type == type && input.type == type &&
                             !linkInto(document, {to, input.id});
        if (isMeant && mayConnect(document, catalog, {from, output->id}, {to, input.id})) {
            connect(document, {from, output->id}, {to, input.id});
        }
    }
}

/// Inputs without a wire that an output could feed.
struct FreeInputs {
    std::vector<PortRef> needed;
    std::vector<PortRef> named;  ///< that need none and are called like the output
};

FreeInputs freeInputsFor(const graph::Document& document,
                         const graph::Catalog& catalog,
                         const PortRef& output) {
    FreeInputs free;
    const NodeDesc* source = descOf(document, catalog, output.node);
    const PortDesc* given = source ? graph::findOutput(*source, output.port) : nullptr;
    if (!given || given->type == kAnyType) {
        return free;
    }
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = descOf(document, catalog, id);
        for (const PortDesc& input : desc ? desc->inputs : std::vector<PortDesc>()) {
            const PortRef to{id, input.id};
            const bool isMeant = !input.optional || input.id == output.port;
            if (input.type == given->type && isMeant && !linkInto(document, to) &&
                mayConnect(document, catalog, output, to)) {
                (input.optional ? free.named : free.needed).push_back(to);
            }
        }
    }
    return free;
}

/// Whether the graph has no model but the node's own.
bool isOnlyModel(const graph::Document& document,
                 const graph::Catalog& catalog,
                 const std::string& id) {
    return std::ranges::none_of(document.nodes, [&](const auto& entry) {
        const NodeDesc* desc = entry.first == id ? nullptr : descOf(document, catalog, entry.first);
        return desc && portOfType(desc->outputs, kModelType) &&
               !portOfType(desc->inputs, kModelType);
    });
}

void connectInputs(graph::Document& document,
                   const graph::Catalog& catalog,
                   const std::string& id,
                   const NodeIds& preferred) {
    const NodeDesc& desc = *descOf(document, catalog, id);
    const PortDesc* patched = patchedInput(desc);
    for (const PortDesc& input : desc.inputs) {
        const PortRef to{id, input.id};
        if (input.optional || input.type == kAnyType || linkInto(document, to)) {
            continue;
        }
        const auto model = &input == patched && input.type == kModelType
                               ? modelOfDenoisers(document, catalog, preferred)
                               : std::nullopt;
        if (model) {
            connect(document, *model, to);
        } else {
            connectInput(document, catalog, to, input.type);
        }
        if (const graph::Link* link = linkInto(document, to)) {
            connectSiblings(document, catalog, std::string(link->from.node), id, input.type);
        }
    }
}

}  // namespace

const PortDesc* patchedInput(const NodeDesc& desc) {
    return desc.outputs.empty() ? nullptr : graph::passedInput(desc, desc.outputs.front().id);
}

void insertBehind(graph::Document& document,
                  const graph::Catalog& catalog,
                  const std::string& id,
                  const graph::PortRef& output) {
    const NodeDesc* desc = descOf(document, catalog, id);
    const PortDesc* input = desc ? patchedInput(*desc) : nullptr;
    if (!input) {
        return;
    }
    const double x = positionOf(document.nodes.at(id)).x;
    for (graph::Link& link : document.links) {
        if (link.from == output && link.to.node != id) {
            link.from = {id, desc->outputs.front().id};
            std::vector<Point> points = reroutesOf(link);
            std::erase_if(points, [x](Point point) { return point.x <= x; });
            setReroutes(document, link.to, std::move(points));
        }
    }
    connect(document, output, {id, input->id});
}

bool insertIntoWires(graph::Document& document,
                     const graph::Catalog& catalog,
                     const std::string& id,
                     const graph::PortRef& wireTo) {
    const NodeDesc* desc = descOf(document, catalog, id);
    const PortDesc* patched = desc ? patchedInput(*desc) : nullptr;
    const graph::Link* wire = linkInto(document, wireTo);
    const graph::PortRef output = wire ? wire->from : PortRef{};
    if (!insertIntoWire(document, catalog, id, wireTo)) {
        return false;
    }
    const graph::Link* given = patched ? linkInto(document, {id, patched->id}) : nullptr;
    if (given && given->from == output && patched->type == kModelType) {
        insertBehind(document, catalog, id, output);
    }
    return true;
}

std::optional<graph::PortRef> modelOfDenoisers(const graph::Document& document,
                                               const graph::Catalog& catalog,
                                               const NodeIds& preferred) {
    NodeIds sources = sourcesOfDenoisers(document, catalog, preferred);
    if (sources.size() != 1) {
        sources = sourcesOfDenoisers(document, catalog, {});
    }
    const NodeDesc* desc =
        sources.size() == 1 ? descOf(document, catalog, *sources.begin()) : nullptr;
    const PortDesc* port = desc ? portOfType(desc->outputs, kModelType) : nullptr;
    return port ? std::optional(PortRef{*sources.begin(), port->id}) : std::nullopt;
}

std::optional<graph::PortRef> freeInputFor(const graph::Document& document,
                                           const graph::Catalog& catalog,
                                           const graph::PortRef& output,
                                           const NodeIds& preferred) {
    const FreeInputs free = freeInputsFor(document, catalog, output);
    return onlyOf(free.needed.empty() ? free.named : free.needed, preferred);
}

void connectFreePorts(graph::Document& document,
                      const graph::Catalog& catalog,
                      const std::string& id,
                      const NodeIds& preferred) {
    const NodeDesc* desc = descOf(document, catalog, id);
    if (!desc) {
        return;
    }
    if (!desc->outputs.empty() && !isRead(document, {id, desc->outputs[0].id})) {
        const PortRef output{id, desc->outputs[0].id};
        if (desc->outputs[0].type == kModelType && isOnlyModel(document, catalog, id)) {
            for (const PortRef& input : freeInputsFor(document, catalog, output).needed) {
                connect(document, output, input);
            }
        } else if (const auto input = freeInputFor(document, catalog, output, preferred)) {
            connect(document, output, *input);
            connectSiblings(document, catalog, id, input->node, desc->outputs[0].type);
        }
    }
    connectInputs(document, catalog, id, preferred);
    const PortDesc* patched = patchedInput(*desc);
    if (patched && patched->type == kModelType) {
        const graph::Link* model = linkInto(document, {id, patched->id});
        if (model && !isRead(document, {id, desc->outputs[0].id})) {
            insertBehind(document, catalog, id, PortRef(model->from));
        }
    }
}

}  // namespace lowtide::ui
