#pragma once
// Node types and a graph like those of the product, for tests of the graph library.

#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <algorithm>

namespace lowtide::graph {

inline ParamDesc param(std::string id, ParamKind kind, Scalar defaultValue) {
    return {.id = std::move(id), .kind = kind, .defaultValue = std::move(defaultValue)};
}

inline ParamDesc rangedParam(
    std::string id, ParamKind kind, Scalar defaultValue, double min, double max) {
    ParamDesc desc = param(std::move(id), kind, std::move(defaultValue));
    desc.min = min;
    desc.max = max;
    return desc;
}

inline PortDesc port(std::string id, std::string type, bool optional = false) {
    return {.id = std::move(id), .type = std::move(type), .optional = optional};
}

inline std::vector<NodeDesc> sampleNodes() {
    ParamDesc sampler = param("sampler", ParamKind::Choice, std::string("euler"));
    sampler.choices = {{"euler", "Euler"}, {"ddim", "DDIM"}};
    ParamDesc note = param("note", ParamKind::Text, std::string());
    note.cosmetic = true;
    return {
        {.id = "load.checkpoint",
         .outputs = {port("model", "MODEL")},
         .params = {param("checkpoint", ParamKind::File, {})}},
        {.id = "model.patch",
         .inputs = {port("model", "MODEL")},
         .outputs = {port("model", "MODEL")},
         .params = {rangedParam("strength", ParamKind::Float, 1.0, -2, 2)}},
        {.id = "prompt.encode",
         .aliases = {"CLIPTextEncode"},
         .components = {"text_encoder*"},
         .inputs = {port("model", "MODEL")},
         .outputs = {port("positive", "CONDITIONING"), port("negative", "CONDITIONING")},
         .params = {param("prompt", ParamKind::Text, std::string())}},
        {.id = "latent.empty",
         .outputs = {port("latent", "LATENT")},
         .params = {rangedParam("width", ParamKind::Int, int64_t{512}, 8, 4096)}},
        {.id = "denoise.sample",
         .version = 2,
         .components = {"denoiser"},
         .inputs = {port("model", "MODEL"),
                    port("positive", "CONDITIONING"),
                    port("negative", "CONDITIONING", true),
                    port("latent", "LATENT")},
         .outputs = {port("latent", "LATENT")},
         .params = {rangedParam("steps", ParamKind::Int, int64_t{20}, 1, 150),
                    rangedParam("cfg", ParamKind::Float, 7.5, 0, 30),
                    param("seed", ParamKind::Seed, int64_t{0}),
                    param("add_noise", ParamKind::Bool, true),
                    sampler,
                    note}},
        {.id = "decode.image",
         .components = {"autoencoder"},
         .inputs = {port("model", "MODEL"), port("latent", "LATENT")},
         .outputs = {port("image", "IMAGE")}},
        {.id = "load.upscaler",
         .outputs = {port("upscaler", "UPSCALER")},
         .params = {param("upscaler", ParamKind::File, {})}},
        {.id = "upscale.model",
         .components = {"upscaler"},
         .inputs = {port("upscaler", "UPSCALER"), port("image", "IMAGE")},
         .outputs = {port("image", "IMAGE")}},
        {.id = "control.offload",
         .control = true,
         .inputs = {port("model", "MODEL", true), port("value", "*")},
         .outputs = {port("value", "*")}},
        {.id = "save.image",
         .output = true,
         .sideEffect = true,
         .inputs = {port("image", "IMAGE")},
         .params = {param("prefix", ParamKind::Text, std::string("lowtide"))}},
    };
}

/// load -> encode -> denoise -> decode -> save, with an empty latent.
inline Json textToImage() {
    return parseJson(R"({
      "format": 2,
      "nodes": {
        "load":    {"type": "load.checkpoint", "v": 1, "params": {"checkpoint": "models/sd/tiny.safetensors"}},
        "encode":  {"type": "prompt.encode", "v": 1, "params": {"prompt": "a red circle"}},
        "latent":  {"type": "latent.empty", "v": 1, "params": {"width": 64}},
        "denoise": {"type": "denoise.sample", "v": 2, "params": {"steps": 4}},
        "decode":  {"type": "decode.image", "v": 1, "params": {}},
        "save":    {"type": "save.image", "v": 1, "params": {}}
      },
      "links": [
        {"from": ["load", "model"], "to": ["encode", "model"]},
        {"from": ["load", "model"], "to": ["denoise", "model"]},
        {"from": ["encode", "positive"], "to": ["denoise", "positive"]},
        {"from": ["encode", "negative"], "to": ["denoise", "negative"]},
        {"from": ["latent", "latent"], "to": ["denoise", "latent"]},
        {"from": ["load", "model"], "to": ["decode", "model"]},
        {"from": ["denoise", "latent"], "to": ["decode", "latent"]},
        {"from": ["decode", "image"], "to": ["save", "image"]}
      ]})",
                     "sample");
}

inline void addLink(Json& graph,
                    const std::string& from,
                    const std::string& fromPort,
                    const std::string& to,
                    const std::string& toPort) {
    graph["links"].push_back({{"from", {from, fromPort}}, {"to", {to, toPort}}});
}

inline void removeLinksInto(Json& graph, const std::string& node, const std::string& port) {
    Json& links = graph["links"];
    links.erase(std::remove_if(links.begin(),
                               links.end(),
                               [&](const Json& link) {
                                   return link["to"] == Json({node, port});
                               }),
                links.end());
}

}  // namespace lowtide::graph
