#include "tests/unit/studio/shell/small_plugin.hpp"

namespace lowtide::ui {

namespace {

PortDesc port(const char* id, const char* type) {
    return {.id = id, .label = id, .tooltip = "A port.", .type = type};
}

ParamDesc text(const char* id, const char* label, bool multiline) {
    return {.id = id,
            .label = label,
            .tooltip = "A text.",
            .kind = ParamKind::Text,
            .defaultValue = std::string(),
            .multiline = multiline};
}

ParamDesc number(const char* id, const char* label, int64_t byDefault, bool advanced = false) {
    return {.id = id,
            .label = label,
            .tooltip = "A number.",
            .kind = ParamKind::Int,
            .defaultValue = byDefault,
            .min = -1,
            .max = 4096,
            .step = 1,
            .advanced = advanced};
}

ParamDesc file(const char* id, const char* label) {
    return {.id = id,
            .label = label,
            .tooltip = "A file.",
            .kind = ParamKind::File,
            .defaultValue = std::string()};
}

NodeDesc denoise() {
    return {.id = "denoise.sample",
            .label = "Denoise",
            .category = "Denoise",
            .tooltip = "Makes a latent image out of noise.",
            .components = {"denoiser"},
            .inputs = {port("model", "MODEL"),
                       port("positive", "CONDITIONING"),
                       port("negative", "CONDITIONING"),
                       port("latent", "LATENT")},
            .outputs = {port("latent", "LATENT")},
            .params = {number("steps", "Steps", 20),
                       {.id = "seed",
                        .label = "Seed",
                        .tooltip = "One seed, one image.",
                        .kind = ParamKind::Seed,
                        .defaultValue = uint64_t{0}},
                       number("start_step", "First step", 0, true)}};
}

}  // namespace

std::vector<NodeDesc> smallNodes() {
    const auto node = [](const char* id, const char* label) {
        return NodeDesc{.id = id, .label = label, .category = "Test", .tooltip = "A node."};
    };
    NodeDesc load = node("load.checkpoint", "Load checkpoint");
    load.outputs = {port("model", "MODEL")};
    load.params = {file("checkpoint", "Checkpoint"), file("unet", "Denoiser")};
    load.params.back().advanced = true;
    NodeDesc image = node("load.image", "Load image");
    image.outputs = {port("image", "IMAGE")};
    image.params = {file("image", "Image")};
    NodeDesc video = node("load.video", "Load video");
    video.outputs = image.outputs;
    video.params = {file("video", "Video")};
    NodeDesc encode = node("prompt.encode", "Encode prompt");
    encode.components = {"text_encoder"};
    encode.inputs = {port("model", "MODEL")};
    encode.outputs = {port("positive", "CONDITIONING"), port("negative", "CONDITIONING")};
    encode.params = {text("prompt", "Prompt", true), text("negative", "Negative", true)};
    NodeDesc latent = node("latent.empty", "Empty latent");
    latent.outputs = {port("latent", "LATENT")};
    latent.params = {number("width", "Width", 512), number("height", "Height", 512)};
    NodeDesc decode = node("decode.image", "Decode");
    decode.components = {"autoencoder"};
    decode.inputs = {port("model", "MODEL"), port("latent", "LATENT")};
    decode.outputs = {port("image", "IMAGE")};
    decode.params = {number("tile", "Tile", 0, true)};
    NodeDesc save = node("save.image", "Save image");
    save.output = true;
    save.sideEffect = true;
    save.inputs = {port("image", "IMAGE")};
    save.params = {text("prefix", "Prefix", false)};
    return {load, image, video, encode, latent, denoise(), decode, save};
}

SmallPlugin::SmallPlugin() : nodes_(smallNodes()) {}

std::string_view SmallPlugin::info() const noexcept {
    Json calls = Json::array();
    const auto add = [&calls](bool can, const char* call) {
        if (can) {
            calls.push_back(call);
        }
    };
    add(canConvert, "conversionChoices");
    add(canConvert, "convert");
    add(static_cast<bool>(recognise), "recognise");
    add(static_cast<bool>(importGraph), "importGraph");
    info_ = Json{{"calls", calls}}.dump();
    return info_;
}

Status SmallPlugin::call(std::string_view name,
                         std::string_view request,
                         Watch* watch,
                         std::string& result) noexcept {
    if (name == "importGraph") {
        return importGraph(Json::parse(request), result);
    }
    return name == "recognise"
               ? recognise(Json::parse(request).at("path").get<std::string>(), result)
               : converter.call(name, request, watch, result);
}

}  // namespace lowtide::ui
