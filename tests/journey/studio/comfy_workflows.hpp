#pragma once

#include "plugin/base/json.hpp"

#include <string>

namespace lowtide::testing {

/// Text to image as ComfyUI's editor saves it, with its two prompts in a subgraph.
inline constexpr const char* kTextToImageWorkflow =
    R"({"last_node_id": 12, "version": 0.4, "nodes": [
  {"id": 4, "type": "CheckpointLoaderSimple", "pos": [0, 0], "outputs": [{"type": "MODEL"}, {"type": "CLIP"}, {"type": "VAE"}],
   "widgets_values": ["builtin:mini"]},
  {"id": 5, "type": "EmptyLatentImage", "pos": [0, 300], "outputs": [{"type": "LATENT"}], "widgets_values": [64, 64, 1]},
  {"id": 12, "type": "aaaa", "title": "Prompts", "pos": [400, 0], "inputs": [{"name": "clip", "type": "CLIP", "link": 1}],
   "outputs": [{"type": "CONDITIONING"}, {"type": "CONDITIONING"}], "properties": {"proxyWidgets": [["6", "text"]]}, "widgets_values": []},
  {"id": 3, "type": "KSampler", "pos": [800, 0], "inputs": [{"name": "model", "type": "MODEL", "link": 3},
   {"name": "positive", "type": "CONDITIONING", "link": 4}, {"name": "negative", "type": "CONDITIONING", "link": 5},
   {"name": "latent_image", "type": "LATENT", "link": 6}], "outputs": [{"type": "LATENT"}],
   "widgets_values": [7, "fixed", 2, 6.5, "euler", "normal", 1]},
  {"id": 8, "type": "VAEDecode", "pos": [1200, 0], "inputs": [{"name": "samples", "type": "LATENT", "link": 7},
   {"name": "vae", "type": "VAE", "link": 8}], "outputs": [{"type": "IMAGE"}]},
  {"id": 9, "type": "SaveImage", "pos": [1600, 0], "inputs": [{"name": "images", "type": "IMAGE", "link": 9}], "widgets_values": ["comfy"]}],
 "links": [[1, 4, 1, 12, 0, "CLIP"], [3, 4, 0, 3, 0, "MODEL"], [4, 12, 0, 3, 1, "CONDITIONING"], [5, 12, 1, 3, 2, "CONDITIONING"],
  [6, 5, 0, 3, 3, "LATENT"], [7, 3, 0, 8, 0, "LATENT"], [8, 4, 2, 8, 1, "VAE"], [9, 8, 0, 9, 0, "IMAGE"]],
 "definitions": {"subgraphs": [{"id": "aaaa", "name": "Both prompts", "inputs": [{"name": "clip", "type": "CLIP"}],
  "outputs": [{"name": "positive", "type": "CONDITIONING"}, {"name": "negative", "type": "CONDITIONING"}],
  "nodes": [{"id": 6, "type": "CLIPTextEncode", "pos": [0, 0], "inputs": [{"name": "clip", "type": "CLIP", "link": 1}],
    "outputs": [{"type": "CONDITIONING"}], "widgets_values": ["a lighthouse"]},
   {"id": 7, "type": "CLIPTextEncode", "pos": [0, 300], "inputs": [{"name": "clip", "type": "CLIP", "link": 2}],
    "outputs": [{"type": "CONDITIONING"}], "widgets_values": ["fog"]}],
  "links": [{"id": 1, "origin_id": -10, "origin_slot": 0, "target_id": 6, "target_slot": 0},
   {"id": 2, "origin_id": -10, "origin_slot": 0, "target_id": 7, "target_slot": 0},
   {"id": 3, "origin_id": 6, "origin_slot": 0, "target_id": -20, "target_slot": 0},
   {"id": 4, "origin_id": 7, "origin_slot": 0, "target_id": -20, "target_slot": 1}]}]}})";

/// The same with something of everything that a report has: a checkpoint and an image that nobody
/// has, a node that comes near, one without a counterpart, one that is bypassed.
inline std::string mixedWorkflow() {
    Json workflow = Json::parse(kTextToImageWorkflow);
    Json& nodes = workflow["nodes"];
    nodes[0]["widgets_values"] = {"dreamshaper_8.safetensors"};
    workflow["definitions"]["subgraphs"][0]["nodes"][0]["widgets_values"] = {"lighthouse, fog"};
    const auto add = [&](int id, const char* type, int x, int y, const Json& values) -> Json& {
        nodes.push_back({{"id", id},
                         {"type", type},
                         {"pos", {x, y}},
                         {"inputs", Json::array()},
                         {"outputs", {{{"type", "IMAGE"}}}},
                         {"widgets_values", values}});
        return nodes.back();
    };
    const auto wire = [&](int link, int from, Json& to, const char* input) {
        to["inputs"].push_back({{"name", input}, {"type", "IMAGE"}, {"link", link}});
        workflow["links"].push_back({link, from, 0, to["id"], to["inputs"].size() - 1, "IMAGE"});
    };
    add(20, "LoadImage", 0, 700, {"portrait.png", "image"});
    wire(20, 20, add(21, "Canny", 400, 700, {0.4, 0.8}), "image");
    wire(21, 21, add(22, "SaveImage", 800, 700, {"edges"}), "images");
    wire(22, 8, add(23, "FaceDetailer", 1200, 400, {512}), "image");
    wire(23, 23, add(24, "SaveImage", 1600, 400, {"face"}), "images");
    Json& bypassed = add(25, "ImageInvert", 1200, 700, Json::array());
    bypassed["mode"] = 4;
    wire(24, 21, bypassed, "image");
    return workflow.dump();
}

}  // namespace lowtide::testing
