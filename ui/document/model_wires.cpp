#include "ui/document/model_wires.hpp"

#include "ui/document/edits.hpp"

#include <algorithm>

namespace lowtide::ui {

const PortDesc* portOfType(const std::vector<PortDesc>& ports, const std::string& type) {
    const auto found = std::ranges::find(ports, type, &PortDesc::type);
    return found == ports.end() ? nullptr : &*found;
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
        const auto found = document.nodes.find(at);
        const NodeDesc* desc =
            found == document.nodes.end() ? nullptr : catalog.find(found->second.type);
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

}  // namespace lowtide::ui
