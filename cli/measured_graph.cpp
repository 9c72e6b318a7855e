#include "cli/measured_graph.hpp"

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
/// The node type that records, in place of a step cache.
constexpr const char* kCurveRecorder = "cache.mag_record";
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

/// The nodes that take a step cache.
std::vector<std::string> denoisersOf(const graph::Document& document,
                                     const graph::Catalog& catalog) {
    std::vector<std::string> nodes;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (desc && cachePort(desc->inputs)) {
            nodes.push_back(id);
        }
    }
    return nodes;
}

void removeCache(graph::Document& document,
                 const graph::Catalog& catalog,
                 const std::string& node) {
    const graph::PortRef port = cacheInput(document, catalog, node);
    std::erase_if(document.links, [&](const graph::Link& link) { return link.to == port; });
}

/// A node with that name, or one like it, that gives `node` its step cache. A type that the module
/// does not have is refused with the graph.
void addCache(graph::Document& document,
              const graph::Catalog& catalog,
              const std::string& node,
              const graph::DocumentNode& cache,
              const std::string& name) {
    std::string id = name;
    for (int number = 2; document.nodes.contains(id); ++number) {
        id = name + "_" + std::to_string(number);
    }
    document.nodes[id] = cache;
    const NodeDesc* desc = catalog.find(cache.type);
    if (const PortDesc* port = desc ? cachePort(desc->outputs) : nullptr) {
        document.links.push_back(
            {.from = {id, port->id}, .to = cacheInput(document, catalog, node)});
    }
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

[[noreturn]] void refuse(const Message& problem, const Message& hint) {
    throw Error(ErrorKind::InvalidInput, problem, hint);
}

std::string chosenDenoiser(const graph::Document& document,
                           const graph::Catalog& catalog,
                           const std::string& node) {
    std::vector<std::string> denoisers = denoisersOf(document, catalog);
    std::erase_if(denoisers, [&](const std::string& id) {
        return document.nodes.at(id).mode != graph::NodeMode::Active;
    });
    if (denoisers.empty()) {
        refuse(message("the graph has no denoiser that takes a step cache"),
               message("give a graph with a node denoise.sample"));
    }
    if (node.empty() && denoisers.size() > 1) {
        refuse(message("the graph has several denoisers: {}", join(denoisers, ", ")),
               message("choose one of them with --node"));
    }
    if (node.empty()) {
        return denoisers.front();
    }
    if (std::find(denoisers.begin(), denoisers.end(), node) == denoisers.end()) {
        refuse(message("the node {} is no denoiser that takes a step cache", quotedName(node)),
               message("choose {}", join(denoisers, ", ")));
    }
    return node;
}

}  // namespace

std::string sampledNode(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const std::vector<std::string>& until) {
    const std::vector<std::string> nodes = denoisersOf(document, catalog);
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
    removeCache(document, catalog, node);
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
        addCache(document, catalog, node, *choice.cache, "measured_cache");
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

RecordedGraph recordedGraph(graph::Document document,
                            const graph::Catalog& catalog,
                            const std::string& node) {
    const std::string denoiser = chosenDenoiser(document, catalog, node);
    removeCache(document, catalog, denoiser);
    addCache(document, catalog, denoiser, {.type = kCurveRecorder}, "mag_record");
    return {.document = std::move(document), .denoiser = denoiser};
}

graph::Document withSeed(const RecordedGraph& graph, uint64_t seed) {
    graph::Document document = graph.document;
    document.nodes.at(graph.denoiser).params["seed"] = seed;
    return document;
}

}  // namespace lowtide::cli
