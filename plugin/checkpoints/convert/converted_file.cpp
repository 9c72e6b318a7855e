#include "plugin/checkpoints/convert/converted_file.hpp"

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/single_file/ldm_schedule.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace lowtide::models {

namespace {

using files::GgufValue;
using files::GgufValueType;

constexpr std::string_view kWeight = "weight";
constexpr const char* kStorageKey = "lowtide.storage";
constexpr const char* kPrediction = "modelspec.prediction_type";
constexpr int64_t kQuantisationVersion = 2;  ///< llama.cpp's GGML_QNT_VERSION
constexpr std::string_view kNoLongerTrue[] = {"modelspec.hash_sha256"};
/// From what people state of a model to GGUF's own keys.
constexpr std::pair<const char*, const char*> kGgufKeys[] = {
    {"modelspec.title", "general.name"},
    {"modelspec.author", "general.author"},
    {"modelspec.license", "general.license"},
    {"license", "general.license"}};

std::string writtenBy(const StorageForm& form) {
    return std::string(form.name) + ", re-encoded by Lowtide " LOWTIDE_VERSION;
}

/// License, modelspec and what tells the prediction; nothing of a trainer's machine.
std::map<std::string, std::string> keptMetadata(const ConvertSource& source) {
    std::map<std::string, std::string> kept;
    for (const auto& [key, text] : source.weights.metadata) {
        const bool isStated =
            key == "license" || key == "global_step" || key.starts_with("modelspec.");
        const bool isTrue = std::find(std::begin(kNoLongerTrue), std::end(kNoLongerTrue), key) ==
                            std::end(kNoLongerTrue);
        if (isStated && isTrue) {
            kept.emplace(key, text);
        }
    }
    return kept;
}

void copyBytes(std::span<std::byte> piece, Bytes offset, std::span<const std::byte> bytes) {
    std::memcpy(piece.data(), bytes.data() + offset, piece.size());
}

/// What lies beside an encoded weight.
void addCompanions(const StorageForm& form,
                   const TensorConverter& tensor,
                   std::vector<files::TensorSource>& sources) {
    const std::string layer = tensor.name().substr(0, tensor.name().size() - kWeight.size());
    sources.push_back({.name = layer + "weight_scale",
                       .type = DType::F32,
                       .shape = form.scalesRows ? Shape{tensor.target().shape.front(), 1} : Shape{},
                       .fill = [&tensor](std::span<std::byte> piece, Bytes offset) {
                           copyBytes(piece, offset, std::as_bytes(tensor.scales()));
                       }});
    std::string settings = Json{{"format", form.comfyFormat}}.dump();
    settings.resize(static_cast<size_t>(alignUp(static_cast<Bytes>(settings.size()), 8)), ' ');
    sources.push_back({.name = layer + "comfy_quant",
                       .type = DType::U8,
                       .shape = {static_cast<int64_t>(settings.size())},
                       .fill = [settings](std::span<std::byte> piece, Bytes offset) {
                           copyBytes(piece, offset, std::as_bytes(std::span(settings)));
                       }});
}

files::FillPiece fillOf(TensorConverter& tensor) {
    return [&tensor](std::span<std::byte> piece, Bytes offset) { tensor.fill(piece, offset); };
}

files::GgmlType ggmlTypeOf(const StorageForm& form, const TargetTensor& target) {
    return target.encoded              ? form.ggmlType
           : target.type == DType::F16 ? files::GgmlType::F16
                                       : files::GgmlType::F32;
}

GgufValue shapeValue(const Shape& shape) {
    std::vector<GgufValue> sizes;
    for (const int64_t size : shape) {
        sizes.push_back(GgufValue::ofInteger(GgufValueType::Int32, size));
    }
    return GgufValue::ofArray(GgufValueType::Int32, sizes);
}

files::GgufMetadata ggufMetadata(const StorageForm& form, const ConvertSource& source) {
    files::GgufMetadata metadata;
    metadata.set("general.architecture", GgufValue::ofText(source.architecture));
    metadata.set("general.quantization_version",
                 GgufValue::ofInteger(GgufValueType::Uint32, kQuantisationVersion));
    metadata.set("general.file_type",
                 GgufValue::ofInteger(GgufValueType::Uint32, form.ggufFileType));
    metadata.set("general.quantized_by", GgufValue::ofText("Lowtide " LOWTIDE_VERSION));
    std::map<std::string, std::string> kept = keptMetadata(source);
    if (const auto prediction = statedPrediction(source.weights)) {
        kept.emplace(kPrediction, *prediction == "v_prediction" ? "v" : *prediction);
    }
    for (const auto& [from, to] : kGgufKeys) {
        if (const auto found = kept.find(from); found != kept.end()) {
            metadata.set(to, GgufValue::ofText(found->second));
        }
    }
    kept.emplace(kStorageKey, writtenBy(form));
    for (const auto& [key, text] : kept) {
        metadata.set(key, GgufValue::ofText(text));
    }
    return metadata;
}

}  // namespace

void writeComfyFile(const std::string& path,
                    const StorageForm& form,
                    const ConvertSource& source,
                    const TensorConverters& tensors,
                    const StopToken& stop) {
    std::vector<files::TensorSource> sources;
    for (const auto& tensor : tensors) {
        sources.push_back({.name = tensor->name(),
                           .type = tensor->target().type,
                           .shape = tensor->target().shape,
                           .fill = fillOf(*tensor)});
        if (tensor->target().encoded) {
            addCompanions(form, *tensor, sources);
        }
    }
    std::map<std::string, std::string> metadata = keptMetadata(source);
    metadata.emplace("format", "pt");  // transformers and diffusers ask for it
    metadata.emplace(kStorageKey, writtenBy(form));
    files::writeSafetensors(path, sources, metadata, stop);
}

void writeGgufFile(const std::string& path,
                   const StorageForm& form,
                   const ConvertSource& source,
                   const TensorConverters& tensors,
                   const StopToken& stop) {
    files::GgufMetadata metadata = ggufMetadata(form, source);
    std::vector<files::GgufSource> sources;
    for (const auto& tensor : tensors) {
        const std::string name(source.nameInDenoiser(tensor->name()));
        const Shape& original = source.weights.map.tensors.at(tensor->name()).shape;
        if (tensor->target().shape != original) {
            metadata.set("comfy.gguf.orig_shape." + name, shapeValue(original));
        }
        sources.push_back({.name = name,
                           .type = ggmlTypeOf(form, tensor->target()),
                           .shape = tensor->target().shape,
                           .fill = fillOf(*tensor)});
    }
    files::writeGguf(path, metadata, sources, stop);
}

}  // namespace lowtide::models
