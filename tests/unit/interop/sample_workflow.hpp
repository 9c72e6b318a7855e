#pragma once
// Workflows of ComfyUI, the table of its classes and our nodes, for tests of imports.

#include "plugin/interop/import.hpp"
#include "plugin/interop/prompt.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/unit/interop/sample_nodes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
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

/// The text with that class in place of each "TYPE": one that ends with a bracket would end a raw
/// string.
inline std::string withType(std::string text, const std::string& type) {
    constexpr std::string_view kType = "TYPE";
    for (size_t at = text.find(kType); at != std::string::npos; at = text.find(kType, at)) {
        text.replace(at, kType.size(), type);
    }
    return text;
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

/// Text to image with a sampler of parts.
inline constexpr const char* kCustomSampling = R"({
  "1": {"class_type": "UNETLoader", "inputs": {"unet_name": "z_image_turbo.safetensors", "weight_dtype": "default"}},
  "2": {"class_type": "CLIPLoader", "inputs": {"clip_name": "qwen.safetensors", "type": "lumina2"}},
  "3": {"class_type": "VAELoader", "inputs": {"vae_name": "ae.safetensors"}},
  "4": {"class_type": "ModelSamplingAuraFlow", "inputs": {"shift": 3, "model": ["1", 0]}},
  "5": {"class_type": "CLIPTextEncode", "inputs": {"text": "cat", "clip": ["2", 0]}},
  "6": {"class_type": "EmptySD3LatentImage", "inputs": {"width": 640, "height": 640, "batch_size": 1}},
  "7": {"class_type": "KSamplerSelect", "inputs": {"sampler_name": "euler"}},
  "8": {"class_type": "BasicScheduler", "inputs": {"scheduler": "simple", "steps": 9, "denoise": 1, "model": ["4", 0]}},
  "9": {"class_type": "RandomNoise", "inputs": {"noise_seed": 42}},
  "10": {"class_type": "BasicGuider", "inputs": {"model": ["4", 0], "conditioning": ["5", 0]}},
  "11": {"class_type": "SamplerCustomAdvanced", "inputs": {"noise": ["9", 0], "guider": ["10", 0], "sampler": ["7", 0], "sigmas": ["8", 0],
         "latent_image": ["6", 0]}},
  "12": {"class_type": "VAEDecode", "inputs": {"samples": ["11", 0], "vae": ["3", 0]}},
  "13": {"class_type": "SaveImage", "inputs": {"filename_prefix": "z", "images": ["12", 0]}}
})";

/// What that node needs, with itself.
inline void addNeeded(const Json& api, const std::string& id, Json& needed) {
    if (!needed.contains(id)) {
        needed[id] = api.at(id);
        for (const Json& value : api.at(id).at("inputs")) {
            if (value.is_array()) {
                addNeeded(api, value[0], needed);
            }
        }
    }
}

inline bool hasClass(const std::vector<ReportEntry>& entries, const std::string& name) {
    return std::ranges::find(entries, name, &ReportEntry::name) != entries.end();
}

}  // namespace lowtide::interop
