#include "cli/lossy_choice.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/overrides.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/precision.hpp"

#include <algorithm>
#include <array>

namespace lowtide::cli {

namespace {

constexpr const char* kCacheType = "STEP_CACHE";
/// Types that a user names are taken at their word, on every device.
constexpr const char* kExact = "quality,storage=file,compute=f32";
/// The last one differs from balanced where a card has sums in f16.
constexpr std::array<const char*, 4> kTypes = {"quality,storage=f16,compute=f16",
                                               "quality,storage=bf16,compute=bf16",
                                               "quality,storage=f8,compute=bf16",
                                               "balanced,matmul_half_accumulation=on"};

const PortDesc* cachePort(const std::vector<PortDesc>& ports) {
    const auto found = std::ranges::find(ports, kCacheType, &PortDesc::type);
    return found == ports.end() ? nullptr : &*found;
}

/// Where `node` takes its step cache.
graph::PortRef cacheInput(const graph::Document& document,
                          const graph::Catalog& catalog,
                          const std::string& node) {
    return {node, cachePort(catalog.find(document.nodes.at(node).type)->inputs)->id};
}

const graph::Link* cacheLink(const graph::Document& document,
                             const graph::Catalog& catalog,
                             const std::string& node) {
    const auto found =
        std::ranges::find(document.links, cacheInput(document, catalog, node), &graph::Link::to);
    return found == document.links.end() ? nullptr : &*found;
}

/// "cache.deepcache interval=5".
std::string nameOf(const graph::DocumentNode& cache, const NodeDesc& desc) {
    std::string name = desc.id;
    for (const auto& [id, value] : cache.params.items()) {
        const ParamDesc* param = graph::findParam(desc, id);
        if (!param || graph::toJson(param->defaultValue) != value) {
            name += " " + id + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    return name;
}

std::string textOf(const Json& precision) {
    return memory::toText(memory::precisionFromJson(precision, "precision"));
}

}  // namespace

std::string sampledNode(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const std::vector<std::string>& until) {
    std::vector<std::string> nodes;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (desc && cachePort(desc->inputs)) {
            nodes.push_back(id);
        }
    }
    const bool isChosen = until.size() == 1 && std::ranges::count(nodes, until.front()) == 1;
    if (isChosen || (until.empty() && nodes.size() == 1)) {
        return isChosen ? until.front() : nodes.front();
    }
    throw Error(
        ErrorKind::InvalidInput,
        nodes.empty()
            ? message("no node of the graph samples, so there is nothing to measure")
            : message("the sensitivity of one sampling node is measured, and the graph has {}",
                      listSome(nodes, nodes.size())),
        nodes.empty() ? message("measure a graph with denoise.sample")
                      : message("choose one of them: --until {}", nodes.front()));
}

graph::Document exactUpTo(graph::Document document,
                          const graph::Catalog& catalog,
                          const std::string& node) {
    const graph::PortRef port = cacheInput(document, catalog, node);
    std::erase_if(document.links, [&](const graph::Link& link) { return link.to == port; });
    document.nodes.at(node).precision = kExact;
    document.isExact.reset();
    document.until = {node};
    return document;
}

graph::Document withChoice(const graph::Document& exact,
                           const graph::Catalog& catalog,
                           const std::string& node,
                           const LossyChoice& choice) {
    graph::Document document = exact;
    if (!choice.precision.is_null()) {
        document.nodes.at(node).precision = choice.precision;
    }
    if (choice.cache) {
        std::string id = "measured_cache";
        while (document.nodes.contains(id)) {
            id += "_";
        }
        const NodeDesc& desc = *catalog.find(choice.cache->type);
        document.nodes[id] = *choice.cache;
        document.links.push_back(
            {.from = {id, cachePort(desc.outputs)->id}, .to = cacheInput(document, catalog, node)});
    }
    return document;
}

std::vector<LossyChoice> allLossyChoices(const graph::Catalog& catalog) {
    std::vector<LossyChoice> choices;
    for (const std::string_view preset : memory::kPrecisionPresets) {
        choices.push_back({std::string(preset), std::string(preset), std::nullopt});
    }
    for (const char* types : kTypes) {
        choices.push_back({types, types, std::nullopt});
    }
    for (const NodeDesc& desc : catalog.nodes()) {
        if (cachePort(desc.outputs)) {
            choices.push_back(
                {desc.id, Json(), graph::DocumentNode{.type = desc.id, .version = desc.version}});
        }
    }
    return choices;
}

std::vector<LossyChoice> variedChoices(const graph::Document& document,
                                       const graph::Catalog& catalog,
                                       const std::string& node,
                                       const std::vector<ui::Variation>& variations) {
    const graph::Link* link = cacheLink(document, catalog, node);
    const std::string cache = link ? link->from.node : std::string();
    for (const ui::Variation& variation : variations) {
        if (!link || !variation.param.starts_with(cache + ".")) {
            throw Error(
                ErrorKind::InvalidInput,
                message(
                    "{} is no setting of a step cache of {}", quotedName(variation.param), node),
                link ? message("with --sensitivity vary those of {}", cache)
                     : message("connect a step cache to {}, or leave --vary out", node));
        }
    }
    std::vector<LossyChoice> choices;
    for (const ui::Variant& variant : ui::combinationsOf(variations)) {
        const graph::Document varied =
            graph::applyOverrides(document, catalog, {.params = variant.settings, .policies = {}});
        const graph::DocumentNode& own = varied.nodes.at(cache);
        const Json& precision = varied.nodes.at(node).precision;
        const std::string name = nameOf(own, *catalog.find(own.type));
        choices.push_back(
            {precision.is_null() ? name : textOf(precision) + " " + name, precision, own});
    }
    return choices;
}

}  // namespace lowtide::cli
