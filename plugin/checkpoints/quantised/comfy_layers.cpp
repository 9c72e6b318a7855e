#include "plugin/checkpoints/quantised/comfy_layers.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <bit>
#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kTileRows = 128;  ///< of scales as tensor cores read them
constexpr int64_t kTileBlocks = 4;
constexpr int64_t kLargestRotation = 4096;

TensorPlace scaledWeight(QuantisedLayer& layer, const char* encoding, DType type) {
    layer.requireType(type);
    layer.addScales({"weight_scale", "scale_weight"});
    return layer.encoded(encoding, layer.stored().shape, 1, 1);
}

/// A setting of the layer itself, or of its "params".
Json settingOf(const Json& settings, const char* name, Json otherwise) {
    if (settings.contains(name)) {
        return settings.at(name);
    }
    const Json params = settings.value("params", Json::object());
    return params.is_object() ? params.value(name, std::move(otherwise)) : otherwise;
}

bool isRotated(const Json& settings) {
    const Json rotated = settingOf(settings, "convrot", false);
    return rotated.is_boolean() && rotated.get<bool>();
}

TensorPlace rotatedWeight(QuantisedLayer& layer, const Json& settings, const std::string& what) {
    const Json size = settingOf(settings, "convrot_groupsize", 256);
    const int64_t group = size.is_number_integer() ? size.get<int64_t>() : 0;
    const bool isPowerOfFour = group >= 4 && group <= kLargestRotation &&
                               std::has_single_bit(static_cast<uint64_t>(group)) &&
                               std::countr_zero(static_cast<uint64_t>(group)) % 2 == 0;
    if (!isPowerOfFour) {
        throw Error(ErrorKind::Corrupt,
                    what + ": convrot_groupsize is " + size.dump() +
                        ", where a power of four from 4 to " + std::to_string(kLargestRotation) +
                        " belongs",
                    "get the file again, or choose another one");
    }
    layer.requireType(DType::I8);
    layer.requireWholeRows(layer.stored().shape, group);
    layer.addScales({"weight_scale"});
    return layer.encoded("int8_convrot", layer.stored().shape, group, group);
}

/// Takes the scales of blocks that lie in tiles; the shape that the weight decodes to, which has
/// `perByte` numbers in a byte.
Shape takeBlockScales(QuantisedLayer& layer,
                      const std::string& what,
                      DType scaleType,
                      int64_t blockElements,
                      int64_t perByte) {
    Shape shape = layer.stored().shape;
    if (shape.size() != 2) {
        layer.refuse(what, "is " + toText(shape) + ", needs two sizes");
    }
    shape[1] *= perByte;
    layer.requireWholeRows(shape, blockElements);
    layer.addBytes("weight_scale",
                   scaleType,
                   alignUp(shape[0], kTileRows) * alignUp(shape[1] / blockElements, kTileBlocks));
    return shape;
}

TensorPlace mxfp8Weight(QuantisedLayer& layer, const std::string& what) {
    layer.requireType(DType::F8E4M3);
    return layer.encoded("mxfp8", takeBlockScales(layer, what, DType::F8E8M0, 32, 1), 32, 32);
}

TensorPlace nvfp4Weight(QuantisedLayer& layer, const std::string& what) {
    layer.requireType(DType::U8);
    Shape shape = takeBlockScales(layer, what, DType::F8E4M3, 16, 2);
    layer.addNumbers("weight_scale_2", 1);
    return layer.encoded("nvfp4", std::move(shape), 16, 8);
}

}  // namespace

TensorPlace comfyWeight(QuantisedLayer& layer, const Json& settings, const std::string& what) {
    const Json stated = settings.is_object() ? settings.value("format", Json()) : Json();
    const std::string format = stated.is_string() ? stated.get<std::string>() : "";
    if (layer.has("pre_quant_scale")) {
        throw Error(ErrorKind::Unsupported,
                    what + ": it scales its inputs (pre_quant_scale), which is not read",
                    "choose a file in another encoding");
    }
    layer.leaveOut({"comfy_quant", "input_scale", "scale_input"});
    if (format == "float8_e4m3fn") {
        return scaledWeight(layer, "f8_e4m3", DType::F8E4M3);
    }
    if (format == "float8_e5m2") {
        return scaledWeight(layer, "f8_e5m2", DType::F8E5M2);
    }
    if (format == "int8_tensorwise") {
        return isRotated(settings) ? rotatedWeight(layer, settings, what)
                                   : scaledWeight(layer, "int8", DType::I8);
    }
    if (format == "mxfp8") {
        return mxfp8Weight(layer, what);
    }
    if (format == "nvfp4") {
        return nvfp4Weight(layer, what);
    }
    throw Error(ErrorKind::Unsupported,
                what + ": it is quantised as " + (stated.is_null() ? "nothing" : stated.dump()) +
                    ", which is not read",
                "choose a file in float8_e4m3fn, float8_e5m2, int8_tensorwise, mxfp8 or nvfp4, or "
                "a GGUF file");
}

}  // namespace lowtide::models
