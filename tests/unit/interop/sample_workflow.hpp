#pragma once
// Workflows of ComfyUI, the table of its classes and our nodes, for tests of imports.

#include "plugin/graph/catalog.hpp"
#include "plugin/interop/import.hpp"
#include "plugin/interop/prompt.hpp"
#include "tests/fixtures/folders.hpp"

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

inline PortDesc importPort(const char* id, const char* type, bool isOptional = false) {
    return {.id = id, .type = type, .optional = isOptional};
}

inline ParamDesc importParam(const char* id, ParamKind kind, Scalar defaultValue) {
    return {.id = id, .label = id, .kind = kind, .defaultValue = std::move(defaultValue)};
}

/// As far as the tests use them, with the ids that the product's have.
inline std::vector<NodeDesc> importedNodes() {
    ParamDesc sampler = importParam("sampler", ParamKind::Choice, std::string("euler"));
    sampler.choices = {{"euler", "Euler"}, {"dpmpp_2m", "DPM++ 2M"}};
    ParamDesc schedule = importParam("schedule", ParamKind::Choice, std::string("automatic"));
    schedule.choices = {{"automatic", "Automatic"},
                        {"normal", "Normal"},
                        {"karras", "Karras"},
                        {"simple", "Simple"}};
    ParamDesc noise = importParam("noise", ParamKind::Choice, std::string("diffusers"));
    noise.choices = {{"diffusers", "diffusers"}, {"comfyui", "ComfyUI"}};
    ParamDesc weights = importParam("weights", ParamKind::Choice, std::string("a1111"));
    weights.choices = {{"a1111", "A1111"}, {"compel", "Compel"}};
    ParamDesc steps = importParam("steps", ParamKind::Int, int64_t{20});
    steps.min = 1;
    steps.max = 1000;
    return {
        {.id = "load.checkpoint",
         .outputs = {importPort("model", "MODEL")},
         .params = {importParam("checkpoint", ParamKind::File, std::string()),
                    importParam("vae", ParamKind::File, std::string())}},
        {.id = "load.diffusion_model",
         .inputs = {importPort("text_encoder", "TEXT_ENCODER", true),
                    importPort("autoencoder", "AUTOENCODER", true)},
         .outputs = {importPort("model", "MODEL")},
         .params = {importParam("file", ParamKind::File, std::string())}},
        {.id = "load.text_encoder",
         .outputs = {importPort("text_encoder", "TEXT_ENCODER")},
         .params = {importParam("file", ParamKind::File, std::string())}},
        {.id = "load.autoencoder",
         .outputs = {importPort("autoencoder", "AUTOENCODER")},
         .params = {importParam("file", ParamKind::File, std::string())}},
        {.id = "load.lora",
         .inputs = {importPort("model", "MODEL")},
         .outputs = {importPort("model", "MODEL")},
         .params = {importParam("file", ParamKind::File, std::string()),
                    importParam("strength", ParamKind::Float, 1.0),
                    importParam("text_strength", ParamKind::Float, 1.0)}},
        {.id = "load.image",
         .outputs = {importPort("image", "IMAGE"), importPort("mask", "MASK")},
         .params = {importParam("image", ParamKind::File, std::string())}},
        {.id = "prompt.encode",
         .inputs = {importPort("model", "MODEL")},
         .outputs = {importPort("positive", "CONDITIONING"),
                     importPort("negative", "CONDITIONING")},
         .params = {importParam("prompt", ParamKind::Text, std::string()),
                    importParam("clip_skip", ParamKind::Int, int64_t{-1}),
                    importParam("loras", ParamKind::Bool, false),
                    weights}},
        {.id = "latent.empty",
         .outputs = {importPort("latent", "LATENT")},
         .params = {importParam("width", ParamKind::Int, int64_t{512}),
                    importParam("height", ParamKind::Int, int64_t{512}),
                    importParam("batch", ParamKind::Int, int64_t{1})}},
        {.id = "control.apply",
         .inputs = {importPort("image", "IMAGE"),
                    importPort("controlnet", "CONTROLNET"),
                    importPort("control", "CONTROL", true)},
         .outputs = {importPort("control", "CONTROL")},
         .params = {importParam("strength", ParamKind::Float, 1.0)}},
        {.id = "load.controlnet",
         .outputs = {importPort("controlnet", "CONTROLNET")},
         .params = {importParam("controlnet", ParamKind::File, std::string())}},
        {.id = "denoise.sample",
         .inputs = {importPort("model", "MODEL"),
                    importPort("positive", "CONDITIONING"),
                    importPort("negative", "CONDITIONING", true),
                    importPort("latent", "LATENT"),
                    importPort("mask", "MASK", true),
                    importPort("control", "CONTROL", true)},
         .outputs = {importPort("latent", "LATENT")},
         .params = {steps,
                    importParam("cfg", ParamKind::Float, 7.5),
                    importParam("seed", ParamKind::Seed, int64_t{0}),
                    importParam("strength", ParamKind::Float, 1.0),
                    importParam("start_step", ParamKind::Int, int64_t{0}),
                    importParam("end_step", ParamKind::Int, int64_t{-1}),
                    importParam("add_noise", ParamKind::Bool, true),
                    importParam("keep_noise", ParamKind::Bool, false),
                    importParam("shift", ParamKind::Float, 0.0),
                    sampler,
                    schedule,
                    noise}},
        {.id = "decode.image",
         .inputs = {importPort("model", "MODEL"), importPort("latent", "LATENT")},
         .outputs = {importPort("image", "IMAGE")}},
        {.id = "save.image",
         .output = true,
         .inputs = {importPort("image", "IMAGE")},
         .params = {importParam("prefix", ParamKind::Text, std::string("lowtide"))}},
    };
}

inline const graph::Catalog& importCatalog() {
    static const graph::Catalog catalog(importedNodes());
    return catalog;
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
