#include "cli/recorded_graph.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>

namespace lowtide::cli {

namespace {

/// The node type that records, in place of a step cache.
constexpr const char* kCurveRecorder = "cache.mag_record";

constexpr const char* kPort = "step_cache";  ///< of denoisers and of step caches

[[noreturn]] void refuse(const Message& problem, const Message& hint) {
    throw Error(ErrorKind::InvalidInput, problem, hint);
}

bool isDenoiser(const graph::DocumentNode& node, const graph::Catalog& catalog) {
    const NodeDesc* desc = catalog.find(node.type);
    return desc && node.mode == graph::NodeMode::Active && graph::findInput(*desc, kPort);
}

std::vector<std::string> denoisersOf(const graph::Document& document,
                                     const graph::Catalog& catalog) {
    std::vector<std::string> denoisers;
    for (const auto& [id, node] : document.nodes) {
        if (isDenoiser(node, catalog)) {
            denoisers.push_back(id);
        }
    }
    return denoisers;
}

std::string chosenDenoiser(const graph::Document& document,
                           const graph::Catalog& catalog,
                           const std::string& node) {
    const std::vector<std::string> denoisers = denoisersOf(document, catalog);
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

std::string freeName(const graph::Document& document) {
    std::string name = "mag_record";
    for (int number = 2; document.nodes.contains(name); ++number) {
        name = "mag_record_" + std::to_string(number);
    }
    return name;
}

}  // namespace

RecordedGraph recordedGraph(graph::Document document,
                            const graph::Catalog& catalog,
                            const std::string& node) {
    const std::string denoiser = chosenDenoiser(document, catalog, node);
    const graph::PortRef input{.node = denoiser, .port = kPort};
    std::erase_if(document.links, [&](const graph::Link& link) { return link.to == input; });
    const std::string recorder = freeName(document);
    document.nodes[recorder] = {.type = kCurveRecorder};
    document.links.push_back({.from = {.node = recorder, .port = kPort}, .to = input});
    return {.document = std::move(document), .denoiser = denoiser};
}

graph::Document withSeed(const RecordedGraph& graph, uint64_t seed) {
    graph::Document document = graph.document;
    document.nodes.at(graph.denoiser).params["seed"] = seed;
    return document;
}

}  // namespace lowtide::cli
