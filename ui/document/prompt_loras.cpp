#include "ui/document/prompt_loras.hpp"

#include "ui/document/auto_wires.hpp"
#include "ui/document/json_members.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr const char* kLorasParam = "loras";

/// The denoisers that get the node's model, or a changed one of it; the node itself where it is
/// one.
NodeIds denoisersBehind(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const std::string& id) {
    NodeIds denoisers = reachedFrom(document, id, [&](const graph::Link& link) {
        const NodeDesc* desc = descOf(document, catalog, link.from.node);
        const PortDesc* output = desc ? graph::findOutput(*desc, link.from.port) : nullptr;
        return output && output->type == kModelType;
    });
    std::erase_if(denoisers, [&](const std::string& each) {
        const NodeDesc* desc = descOf(document, catalog, each);
        return !desc || !hasDenoiser(*desc);
    });
    return denoisers;
}

/// Whether it changes a model by a file that it names.
bool changesModel(const NodeDesc& desc, const graph::DocumentNode& node) {
    const PortDesc* patched = patchedInput(desc);
    return patched && patched->type == kModelType &&
           std::ranges::any_of(desc.params, [&](const ParamDesc& param) {
               return param.kind == ParamKind::File &&
                      !textIn(node.params, param.id.c_str()).empty();
           });
}

}  // namespace

bool canReadPromptLoras(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const std::string& id) {
    const NodeDesc* desc = descOf(document, catalog, id);
    const ParamDesc* param = desc ? graph::findParam(*desc, kLorasParam) : nullptr;
    return param && param->kind == ParamKind::Bool && portOfType(desc->inputs, kModelType) &&
           portOfType(desc->outputs, kModelType) &&
           memberIn(document.nodes.at(id).params, kLorasParam) != true;
}

void readPromptLoras(graph::Document& document,
                     const graph::Catalog& catalog,
                     const std::string& id) {
    const NodeDesc& desc = *descOf(document, catalog, id);
    document.nodes.at(id).params[kLorasParam] = true;
    const graph::PortRef own{id, portOfType(desc.outputs, kModelType)->id};
    const graph::Link* given = linkInto(document, {id, portOfType(desc.inputs, kModelType)->id});
    if (!given) {
        return;
    }
    const graph::PortRef model = given->from;
    const NodeIds fed = reachedFrom(document, id, [](const graph::Link&) { return true; });
    const std::vector<graph::Link> links = document.links;
    for (const graph::Link& link : links) {
        if (link.from != model || link.to.node == id) {
            continue;
        }
        const NodeIds denoisers = denoisersBehind(document, catalog, link.to.node);
        const bool isFed = std::ranges::any_of(
            denoisers, [&](const std::string& each) { return fed.contains(each); });
        if (isFed && wireRefusal(document, catalog, own, link.to).empty()) {
            connect(document, own, link.to);
        }
    }
}

void readAllPromptLoras(graph::Document& document, const graph::Catalog& catalog) {
    NodeIds all;
    for (const auto& [id, node] : document.nodes) {
        if (canReadPromptLoras(document, catalog, id)) {
            all.insert(id);
        }
    }
    for (const std::string& id : all) {
        readPromptLoras(document, catalog, id);
    }
}

Issues lorasWithoutDenoiser(const graph::Document& document, const graph::Catalog& catalog) {
    Issues issues;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (node.mode == graph::NodeMode::Active && desc && changesModel(*desc, node) &&
            denoisersBehind(document, catalog, id).empty()) {
            issues.push_back(
                {.severity = Severity::Warning,
                 .code = kLoraWithoutDenoiser,
                 .node = id,
                 .item = desc->outputs.front().id,
                 .message = message(
                     "this LoRA has no effect on the image: its model reaches no Denoise node"),
                 .hint = message("connect its Model output to a Denoise node")});
        }
    }
    return issues;
}

void useLoraEverywhere(graph::Document& document,
                       const graph::Catalog& catalog,
                       const std::string& id) {
    const NodeDesc& desc = *descOf(document, catalog, id);
    const graph::Link* given = linkInto(document, {id, patchedInput(desc)->id});
    const std::optional<graph::PortRef> model =
        given ? std::optional(given->from) : modelOfDenoisers(document, catalog);
    if (model) {
        insertBehind(document, catalog, id, *model);
    }
}

}  // namespace lowtide::ui
