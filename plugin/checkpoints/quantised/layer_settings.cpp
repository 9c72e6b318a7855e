#include "plugin/checkpoints/quantised/layer_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kMostSettingsBytes = 4096;  ///< of one layer
constexpr Phrase kGetAgain = phrase("get the file again, or choose another one");
constexpr std::string_view kLdmPrefix = "model.diffusion_model.";

/// The layer of "<layer><ending>"; empty for another name.
std::string layerOf(std::string_view name, std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending)
               ? std::string(name.substr(0, name.size() - ending.size()))
               : std::string();
}

/// The format that a weight with a scale alone must have; empty: none.
std::string formatOf(const TensorLocations& tensors, const std::string& layer) {
    const auto weight = tensors.find(layer + ".weight");
    if (weight == tensors.end()) {
        return {};
    }
    switch (weight->second.type) {
        case DType::F8E4M3:
            return "float8_e4m3fn";
        case DType::F8E5M2:
            return "float8_e5m2";
        case DType::I8:
            return "int8_tensorwise";
        case DType::U8:
            return tensors.contains(layer + ".weight_scale_2") ? "nvfp4" : "";
        default:
            return {};
    }
}

/// Of the header: layers by name, with their settings or the name of a format.
void addHeaderLayers(const TensorLocations& tensors,
                     const FileMetadata& metadata,
                     const std::string& file,
                     std::map<std::string, Json>& layers) {
    const auto text = metadata.find("_quantization_metadata");
    if (text == metadata.end()) {
        return;
    }
    const std::string what = file + ", _quantization_metadata";
    const Json json = parseJson(text->second, what);
    const Json* stated = JsonReader(json, what).member("layers");
    if (!stated || !stated->is_object()) {
        throw Error(ErrorKind::Corrupt, message("{}: there are no layers", what), kGetAgain);
    }
    for (const auto& [name, settings] : stated->items()) {
        const std::string prefixed = std::string(kLdmPrefix) + name;
        const bool isShort =
            !tensors.contains(name + ".weight") && tensors.contains(prefixed + ".weight");
        layers.try_emplace(isShort ? prefixed : name,
                           settings.is_string() ? Json{{"format", settings}} : settings);
    }
}

}  // namespace

Json settingsIn(const TensorLocations& tensors,
                const std::string& name,
                const files::InputFile& file) {
    const TensorLocation& location = tensors.at(name);
    const std::string what = quotedName(file.name()) + ", " + quotedName(name);
    const int64_t count = elementCount(location.shape).value_or(0);
    if (location.type != DType::U8 || count < 1 || count > kMostSettingsBytes) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: is {} {}, needs up to {} bytes of JSON (U8)",
                            what,
                            nameOf(location.type),
                            toText(location.shape),
                            kMostSettingsBytes),
                    kGetAgain);
    }
    std::string text(static_cast<size_t>(count), ' ');
    file.read(std::as_writable_bytes(std::span(text)), location.offset);
    Json settings = parseJson(text, what);
    if (!settings.is_object()) {
        throw Error(ErrorKind::Corrupt, message("{}: is no JSON object", what), kGetAgain);
    }
    return settings;
}

std::map<std::string, Json> comfyLayers(const TensorLocations& tensors,
                                        const FileMetadata& metadata,
                                        const files::InputFile& file) {
    std::map<std::string, Json> layers;
    for (const auto& [name, location] : tensors) {
        if (const std::string layer = layerOf(name, ".comfy_quant"); !layer.empty()) {
            layers[layer] = settingsIn(tensors, name, file);
        }
    }
    addHeaderLayers(tensors, metadata, quotedName(file.name()), layers);
    for (const auto& [name, location] : tensors) {
        for (const std::string_view ending : {".scale_weight", ".weight_scale"}) {
            const std::string layer = layerOf(name, ending);
            if (layer.empty() || layers.contains(layer)) {
                continue;
            }
            if (const std::string format = formatOf(tensors, layer); !format.empty()) {
                layers[layer] = {{"format", format}};
            }
        }
    }
    return layers;
}

}  // namespace lowtide::models
