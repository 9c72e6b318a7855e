#pragma once
// Workflows of ComfyUI, the table of its classes and our nodes, for tests of imports.

#include "plugin/interop/import.hpp"
#include "plugin/interop/prompt.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/unit/interop/sample_nodes.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lowtide::interop {

/// That of the source tree.
inline const ClassTable& sourceTable() {
    static const ClassTable table = readClassTable(testing::sourcePath("resources").toStdString());
    return table;
}

inline const SamplerNames& sourceSamplerNames() {
    static const SamplerNames names =
        readSamplerNames(testing::sourcePath("resources").toStdString());
    return names;
}

inline Json parsed(const char* text) {
    return parseJson(text, "test");
}

inline Prompt promptOf(const char* text) {
    return readPrompt(parsed(text), sourceTable());
}

/// The class and inputs of each node as ComfyUI's server is sent them.
inline Json apiOf(const Prompt& prompt) {
    Json api = Json::object();
    for (const auto& [id, node] : prompt.nodes) {
        Json inputs = Json::object();
        for (const auto& [name, input] : node.inputs) {
            inputs[name] =
                input.from ? Json::array({input.from->node, input.from->slot}) : input.value;
        }
        api[id] = {{"class", node.type}, {"inputs", std::move(inputs)}};
    }
    return api;
}

inline ImportNeeds sampleNeeds() {
    return {.catalog = importCatalog(), .table = sourceTable(), .imageSize = {}, .findFile = {}};
}

inline Imported importedFrom(const char* text) {
    return importText(text, sourceSamplerNames(), sampleNeeds());
}

/// From where a wire into that input comes, as "node.port"; empty: nothing is wired.
inline std::string sourceOf(const graph::Document& document,
                            const std::string& node,
                            const std::string& port) {
    for (const graph::Link& link : document.links) {
        if (link.to == graph::PortRef{node, port}) {
            return link.from.node + "." + link.from.port;
        }
    }
    return {};
}

/// What the server is sent for text to image.
inline constexpr const char* kTextToImage = R"({
  "3": {"class_type": "KSampler", "inputs": {"seed": 7, "steps": 12, "cfg": 6.5, "sampler_name": "dpmpp_2m", "scheduler": "karras",
        "denoise": 1, "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}},
  "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "dream.safetensors"}},
  "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 640, "height": 448, "batch_size": 2}},
  "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a lighthouse", "clip": ["4", 1]}, "_meta": {"title": "Positive"}},
  "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "fog", "clip": ["4", 1]}},
  "8": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["4", 2]}},
  "9": {"class_type": "SaveImage", "inputs": {"filename_prefix": "ComfyUI", "images": ["8", 0]}}
})";

}  // namespace lowtide::interop
