#include "plugin/checkpoints/quantised/fold_quantised.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/quantised/comfy_layers.hpp"

#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

constexpr std::string_view kNf4Settings = ".quant_state.bitsandbytes__nf4";
constexpr std::string_view kFp4Settings = ".quant_state.bitsandbytes__fp4";
constexpr std::string_view kInt8Scales = ".SCB";
/// Endings of what a weight needs beside it to be decoded.
constexpr std::string_view kDecodingTensors[] = {".weight_scale",
                                                 ".weight_scale_2",
                                                 ".scale_weight",
                                                 ".comfy_quant",
                                                 kInt8Scales,
                                                 ".weight.absmax",
                                                 ".weight.nested_absmax",
                                                 ".weight.nested_quant_map",
                                                 ".weight.quant_state.bitsandbytes__nf4"};
constexpr int64_t kNestedBlock = 256;
constexpr int64_t kByteValues = 256;

/// What becomes of the file's tensors.
struct Folded {
    std::map<std::string, TensorPlace> weights;
    std::set<std::string> gone;

    void add(const std::string& weight, TensorPlace place, const QuantisedLayer& layer) {
        weights.insert_or_assign(weight, std::move(place));
        gone.insert(layer.companionNames().begin(), layer.companionNames().end());
    }
};

/// What comes before `ending`; empty for another name.
std::string stem(std::string_view name, std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending)
               ? std::string(name.substr(0, name.size() - ending.size()))
               : std::string();
}

void foldComfy(const TensorPlaces& tensors,
               const FileMetadata& metadata,
               const files::InputFile& file,
               Folded& folded) {
    const std::string what = quotedName(file.name());
    for (const auto& [name, settings] : comfyLayers(tensors, metadata, file)) {
        QuantisedLayer layer(tensors, what, name + ".weight", name + ".");
        folded.add(
            name + ".weight", comfyWeight(layer, settings, what + ", " + quotedName(name)), layer);
    }
    for (const auto& [name, place] : tensors) {
        if (name == "scaled_fp8" || name.ends_with(".scaled_fp8")) {
            folded.gone.insert(name);
        }
    }
}

/// The numbers are signed bytes with a largest magnitude for each row (LLM.int8).
void foldInt8(const TensorPlaces& tensors, const std::string& what, Folded& folded) {
    for (const auto& [name, place] : tensors) {
        const std::string prefix = stem(name, kInt8Scales);
        if (prefix.empty()) {
            continue;
        }
        QuantisedLayer layer(tensors, what, prefix + ".weight", prefix + ".");
        layer.requireType(DType::I8);
        layer.addScales({"SCB"});
        layer.leaveOut({"weight_format"});
        folded.add(
            prefix + ".weight", layer.encoded("bnb_int8", layer.stored().shape, 1, 1), layer);
    }
}

struct Nf4Settings {
    Shape shape;
    int64_t block = 0;
    float offset = 0;
};

Nf4Settings nf4Settings(const Json& json, const QuantisedLayer& layer, const std::string& name) {
    Nf4Settings settings;
    const Json shape = json.value("shape", Json());
    if (shape.is_array() && !shape.empty()) {
        for (const Json& size : shape) {
            settings.shape.push_back(size.is_number_integer() ? size.get<int64_t>() : 0);
        }
    }
    const Json block = json.value("blocksize", Json());
    settings.block = block.is_number_integer() ? block.get<int64_t>() : 0;
    const Json offset = json.value("nested_offset", Json(0));
    settings.offset = offset.is_number() ? offset.get<float>() : 0;
    const Json nested = json.value("nested_blocksize", Json(kNestedBlock));
    const bool isRight = elementCount(settings.shape).value_or(0) > 0 && settings.block >= 8 &&
                         settings.block % 8 == 0 && offset.is_number() && nested == kNestedBlock;
    if (settings.shape.empty() || !isRight) {
        layer.refuse(name,
                     "is " + json.dump() +
                         "; needs a shape, a blocksize that is a multiple of 8, "
                         "and scales in blocks of 256");
    }
    return settings;
}

/// Quantiles of a normal distribution, in blocks that go on from row to row (QLoRA).
void foldNf4(const TensorPlaces& tensors, const files::InputFile& file, Folded& folded) {
    const std::string what = quotedName(file.name());
    for (const auto& [name, place] : tensors) {
        if (name.ends_with(kFp4Settings)) {
            throw Error(
                ErrorKind::Unsupported,
                what + ", " + quotedName(name) + ": bitsandbytes' fp4 is not read, its nf4 is",
                "choose a file in nf4 or in another encoding");
        }
        const std::string weight = stem(name, kNf4Settings);
        if (weight.empty()) {
            continue;
        }
        QuantisedLayer layer(tensors, what, weight, weight + ".");
        const Nf4Settings settings = nf4Settings(settingsIn(tensors, name, file), layer, name);
        const int64_t blocks = elementCount(settings.shape).value_or(0) / settings.block;
        const bool isNested = layer.has("nested_absmax");
        layer.requireType(DType::U8);
        isNested ? layer.addBytes("absmax", DType::U8, blocks) : layer.addNumbers("absmax", blocks);
        if (isNested) {
            layer.addNumbers("nested_absmax", (blocks + kNestedBlock - 1) / kNestedBlock);
            layer.addNumbers("nested_quant_map", kByteValues);
        }
        layer.leaveOut({"quant_map", "quant_state.bitsandbytes__nf4"});
        TensorPlace decoded =
            layer.encoded("bnb_nf4", settings.shape, settings.block, settings.block / 2);
        decoded.encoded->addedScale = settings.offset;
        folded.add(weight, std::move(decoded), layer);
    }
}

}  // namespace

std::string weightDecodedBy(std::string_view name) {
    for (const std::string_view ending : kDecodingTensors) {
        if (const std::string layer = stem(name, ending); !layer.empty()) {
            return layer + ".weight";
        }
    }
    return {};
}

std::set<std::string> foldQuantised(TensorPlaces& tensors,
                                    const FileMetadata& metadata,
                                    const files::InputFile& file) {
    Folded folded;
    foldComfy(tensors, metadata, file, folded);
    foldInt8(tensors, quotedName(file.name()), folded);
    foldNf4(tensors, file, folded);
    for (const std::string& name : folded.gone) {
        tensors.erase(name);
    }
    for (auto& [name, place] : folded.weights) {
        tensors.insert_or_assign(name, std::move(place));
    }
    return folded.gone;
}

}  // namespace lowtide::models
