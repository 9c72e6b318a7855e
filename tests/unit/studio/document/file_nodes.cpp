#include "tests/unit/studio/document/file_nodes.hpp"

#include "ui/document/edits.hpp"

namespace lowtide::testing {

namespace {

PortDesc needed(const char* id, const char* type) {
    return {.id = id, .label = id, .type = type};
}

PortDesc optional(const char* id, const char* type) {
    return {.id = id, .label = id, .type = type, .optional = true};
}

ParamDesc file(const char* id) {
    return {.id = id, .label = id, .kind = ParamKind::File, .defaultValue = std::string()};
}

ParamDesc prompt(const char* id) {
    return {.id = id,
            .label = id,
            .kind = ParamKind::Text,
            .defaultValue = std::string(),
            .multiline = true};
}

NodeDesc loader(const char* id, const char* label, const char* type, const char* param) {
    return {.id = id, .label = label, .outputs = {needed(param, type)}, .params = {file(param)}};
}

NodeDesc encode() {
    return {.id = "prompt.encode",
            .label = "Encode prompt",
            .inputs = {needed("model", "MODEL")},
            .outputs = {needed("positive", "CONDITIONING"),
                        needed("negative", "CONDITIONING"),
                        needed("model", "MODEL")},
            .params = {prompt("prompt"),
                       prompt("negative"),
                       {.id = "loras",
                        .label = "LoRAs of the prompt",
                        .kind = ParamKind::Bool,
                        .defaultValue = false}}};
}

NodeDesc denoise() {
    return {.id = "denoise.sample",
            .label = "Denoise",
            .components = {"denoiser"},
            .inputs = {needed("model", "MODEL"),
                       needed("positive", "CONDITIONING"),
                       optional("negative", "CONDITIONING"),
                       needed("latent", "LATENT"),
                       optional("mask", "MASK"),
                       optional("masked", "LATENT"),
                       optional("control", "CONTROL")},
            .outputs = {needed("latent", "LATENT")}};
}

void put(graph::Document& document, const char* id, const char* type, double x, double y) {
    static const graph::Catalog catalog(fileNodes());
    const std::string made = ui::addNode(document, *catalog.find(type), {x, y});
    document.nodes[id] = document.nodes.extract(made).mapped();
}

void wire(graph::Document& document,
          const char* from,
          const char* output,
          const char* to,
          const char* input) {
    ui::connect(document, {from, output}, {to, input});
}

graph::Document withoutStart() {
    graph::Document document;
    put(document, "load", "load.checkpoint", 0, 0);
    put(document, "encode", "prompt.encode", 320, 0);
    put(document, "denoise", "denoise.sample", 640, 0);
    put(document, "decode", "decode.image", 960, 0);
    put(document, "save", "save.image", 1280, 0);
    document.nodes.at("load").params["checkpoint"] = "dream.safetensors";
    wire(document, "load", "model", "encode", "model");
    wire(document, "load", "model", "denoise", "model");
    wire(document, "load", "model", "decode", "model");
    wire(document, "encode", "positive", "denoise", "positive");
    wire(document, "encode", "negative", "denoise", "negative");
    wire(document, "denoise", "latent", "decode", "latent");
    wire(document, "decode", "image", "save", "image");
    return document;
}

}  // namespace

std::vector<NodeDesc> fileNodes() {
    NodeDesc checkpoint = loader("load.checkpoint", "Load checkpoint", "MODEL", "checkpoint");
    checkpoint.outputs = {needed("model", "MODEL")};
    checkpoint.params.push_back(file("vae"));
    NodeDesc lora = loader("load.lora", "Load LoRA", "MODEL", "file");
    lora.inputs = {needed("model", "MODEL")};
    lora.outputs = lora.inputs;
    NodeDesc stack = lora;
    stack.id = "load.lora_stack";
    stack.label = "Load LoRAs";
    stack.params = {file("file_1"), file("file_2")};
    NodeDesc image = loader("load.image", "Load image", "IMAGE", "image");
    image.outputs.push_back(needed("mask", "MASK"));
    return {
        checkpoint,
        lora,
        stack,
        image,
        loader("load.upscaler", "Load upscaler", "UPSCALER", "upscaler"),
        loader("load.controlnet", "Load ControlNet", "CONTROLNET", "controlnet"),
        encode(),
        denoise(),
        {.id = "latent.empty", .label = "Empty latent", .outputs = {needed("latent", "LATENT")}},
        {.id = "encode.image",
         .label = "Encode image",
         .inputs = {needed("model", "MODEL"), needed("image", "IMAGE")},
         .outputs = {needed("latent", "LATENT")}},
        {.id = "decode.image",
         .label = "Decode",
         .inputs = {needed("model", "MODEL"), needed("latent", "LATENT")},
         .outputs = {needed("image", "IMAGE")}},
        {.id = "upscale.model",
         .label = "Upscale with model",
         .inputs = {needed("upscaler", "UPSCALER"), needed("image", "IMAGE")},
         .outputs = {needed("image", "IMAGE")}},
        {.id = "control.apply",
         .label = "Apply ControlNet",
         .inputs = {needed("image", "IMAGE"),
                    needed("controlnet", "CONTROLNET"),
                    optional("control", "CONTROL")},
         .outputs = {needed("control", "CONTROL")}},
        {.id = "save.image",
         .label = "Save image",
         .output = true,
         .inputs = {needed("image", "IMAGE")}}};
}

graph::Document textToImage() {
    graph::Document document = withoutStart();
    put(document, "empty", "latent.empty", 320, 300);
    wire(document, "empty", "latent", "denoise", "latent");
    return document;
}

graph::Document imageToImage() {
    graph::Document document = withoutStart();
    put(document, "photo", "load.image", 0, 300);
    put(document, "start", "encode.image", 320, 300);
    document.nodes.at("photo").params["image"] = "dog.png";
    wire(document, "load", "model", "start", "model");
    wire(document, "photo", "image", "start", "image");
    wire(document, "start", "latent", "denoise", "latent");
    return document;
}

std::string feeding(const graph::Document& document,
                    const std::string& node,
                    const std::string& port) {
    const graph::Link* link = ui::linkInto(document, {node, port});
    return link ? link->from.node + "." + link->from.port : std::string();
}

}  // namespace lowtide::testing
