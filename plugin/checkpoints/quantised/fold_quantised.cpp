#include "plugin/checkpoints/quantised/fold_quantised.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/quantised/layer_settings.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// One quantised weight of a file with what lies next to it. Errors are Error{Corrupt} and name
/// file and tensor.
class QuantisedLayer {
public:
    /// `weight`: its name; `prefix`: of those of its companions.
    QuantisedLayer(const TensorLocations& tensors,
                   std::string file,
                   std::string weight,
                   std::string prefix);

    /// As it lies in the file.
    [[nodiscard]] const TensorLocation& stored() const { return stored_; }

    [[nodiscard]] bool has(std::string_view name) const;

    /// Adds "<prefix><name>" to the companions; `needs` states for messages what it must be. `fits`
    /// decides.
    template <typename Fits>
    void add(const std::string& name, const Message& needs, const Fits& fits) {
        const TensorLocation& location = locationOf(name);
        if (!fits(location)) {
            refuse(prefix_ + name,
                   message(
                       "is {} {}, needs {}", nameOf(location.type), toText(location.shape), needs));
        }
        take(name, location);
    }

    /// A scale of the tensor, or one for each row, in F32, F16 or BF16.
    void addScales(std::initializer_list<const char*> names);
    /// So many numbers in F32.
    void addNumbers(const std::string& name, int64_t count);
    /// Bytes, U8 or of that type.
    void addBytes(const std::string& name, DType type, int64_t count);

    /// Forgets what decoding does not need.
    void leaveOut(std::initializer_list<const char*> names);

    void requireType(DType type) const;

    /// The weight, of this shape once it is decoded; blocks may go on from row to row.
    [[nodiscard]] TensorLocation encoded(const std::string& encoding,
                                         Shape shape,
                                         int64_t blockElements,
                                         Bytes blockBytes) const;
    /// Refuses rows of this shape that are no whole blocks.
    void requireWholeRows(const Shape& shape, int64_t blockElements) const;

    /// Names in the file that are no weights of their own.
    [[nodiscard]] const std::set<std::string>& companionNames() const { return names_; }

    [[noreturn]] void refuse(const std::string& name, const Message& problem) const;

private:
    [[nodiscard]] const TensorLocation& locationOf(const std::string& name) const;
    void take(const std::string& name, const TensorLocation& location);

    const TensorLocations& tensors_;
    std::string file_;
    std::string weight_;
    std::string prefix_;
    TensorLocation stored_;
    std::vector<memory::Companion> companions_;
    std::set<std::string> names_;
};

/// A layer as ComfyUI quantised it, whose companions `layer` collects. `what`: file and layer.
/// Error{Unsupported} names a format that is not read.
[[nodiscard]] TensorLocation comfyWeight(QuantisedLayer& layer,
                                         const Json& settings,
                                         const std::string& what);

QuantisedLayer::QuantisedLayer(const TensorLocations& tensors,
                               std::string file,
                               std::string weight,
                               std::string prefix)
    : tensors_(tensors),
      file_(std::move(file)),
      weight_(std::move(weight)),
      prefix_(std::move(prefix)) {
    const auto found = tensors_.find(weight_);
    if (found == tensors_.end()) {
        refuse(weight_, message("is not there, though its scales are"));
    }
    stored_ = found->second;
    if (stored_.shape.empty() || elementCount(stored_.shape).value_or(0) == 0) {
        refuse(weight_, message("is {}, which has no rows", toText(stored_.shape)));
    }
    if (!stored_.isRowMajor) {
        refuse(weight_, message("is not stored row by row"));
    }
}

bool QuantisedLayer::has(std::string_view name) const {
    return tensors_.contains(prefix_ + std::string(name));
}

void QuantisedLayer::addScales(std::initializer_list<const char*> names) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const char* name) { return has(name); });
    const int64_t rows = stored_.shape.front();
    add(found == names.end() ? *names.begin() : *found,
        message("one number, or {}, in F32, F16 or BF16", rows),
        [&](const TensorLocation& location) {
            const int64_t count = elementCount(location.shape).value_or(0);
            const bool isNumber = location.type == DType::F32 || location.type == DType::F16 ||
                                  location.type == DType::BF16;
            return isNumber && (count == 1 || count == rows);
        });
}

void QuantisedLayer::addNumbers(const std::string& name, int64_t count) {
    add(name, message("{} in F32", count), [&](const TensorLocation& location) {
        return location.type == DType::F32 && elementCount(location.shape) == count;
    });
}

void QuantisedLayer::addBytes(const std::string& name, DType type, int64_t count) {
    add(name,
        message("{} of type {} or U8", count, nameOf(type)),
        [&](const TensorLocation& location) {
            return (location.type == type || location.type == DType::U8) &&
                   elementCount(location.shape) == count;
        });
}

void QuantisedLayer::leaveOut(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (has(name)) {
            names_.insert(prefix_ + name);
        }
    }
}

void QuantisedLayer::requireType(DType type) const {
    if (stored_.type != type) {
        refuse(weight_,
               message("is {}, its layer's settings state {}", nameOf(stored_.type), nameOf(type)));
    }
}

TensorLocation QuantisedLayer::encoded(const std::string& encoding,
                                       Shape shape,
                                       int64_t blockElements,
                                       Bytes blockBytes) const {
    const int64_t count = elementCount(shape).value_or(0);
    if (count == 0 || count % blockElements != 0 ||
        count / blockElements * blockBytes != stored_.bytes()) {
        refuse(weight_,
               message("has {} bytes, which are not those of {} in blocks of {}",
                       stored_.bytes(),
                       toText(shape),
                       blockElements));
    }
    TensorLocation location = stored_;
    location.type = DType::F32;
    location.shape = std::move(shape);
    location.encoded = {.encoding = encoding,
                        .blockElements = blockElements,
                        .blockBytes = blockBytes,
                        .columns = count / location.shape.front(),
                        .companions = companions_};
    return location;
}

void QuantisedLayer::requireWholeRows(const Shape& shape, int64_t blockElements) const {
    const int64_t columns = elementCount(shape).value_or(0) / shape.front();
    if (columns % blockElements != 0) {
        refuse(weight_,
               message("is {}, whose rows are no whole blocks of {} numbers",
                       toText(shape),
                       blockElements));
    }
}

void QuantisedLayer::refuse(const std::string& name, const Message& problem) const {
    throw Error(ErrorKind::Corrupt,
                message("{}, {}: {}", file_, quotedName(name), problem),
                message("get the file again, or choose another one"));
}

const TensorLocation& QuantisedLayer::locationOf(const std::string& name) const {
    const auto found = tensors_.find(prefix_ + name);
    if (found == tensors_.end()) {
        refuse(weight_, message("its scales {} are not there", quotedName(prefix_ + name)));
    }
    return found->second;
}

void QuantisedLayer::take(const std::string& name, const TensorLocation& location) {
    companions_.push_back({.key = prefix_ + name,
                           .fileOffset = location.offset,
                           .type = location.type,
                           .elementCount = elementCount(location.shape).value_or(0)});
    names_.insert(prefix_ + name);
}

namespace {

constexpr int64_t kTileRows = 128;  ///< of scales as tensor cores read them
constexpr int64_t kTileBlocks = 4;
constexpr int64_t kLargestRotation = 4096;

TensorLocation scaledWeight(QuantisedLayer& layer, const char* encoding, DType type) {
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

TensorLocation rotatedWeight(QuantisedLayer& layer, const Json& settings, const std::string& what) {
    const Json size = settingOf(settings, "convrot_groupsize", 256);
    const int64_t group = size.is_number_integer() ? size.get<int64_t>() : 0;
    const bool isPowerOfFour = group >= 4 && group <= kLargestRotation &&
                               std::has_single_bit(static_cast<uint64_t>(group)) &&
                               std::countr_zero(static_cast<uint64_t>(group)) % 2 == 0;
    if (!isPowerOfFour) {
        throw Error(
            ErrorKind::Corrupt,
            message("{}: convrot_groupsize is {}, where a power of four from 4 to {} belongs",
                    what,
                    size.dump(),
                    kLargestRotation),
            message("get the file again, or choose another one"));
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
        layer.refuse(what, message("is {}, needs two sizes", toText(shape)));
    }
    shape[1] *= perByte;
    layer.requireWholeRows(shape, blockElements);
    layer.addBytes("weight_scale",
                   scaleType,
                   alignUp(shape[0], kTileRows) * alignUp(shape[1] / blockElements, kTileBlocks));
    return shape;
}

TensorLocation mxfp8Weight(QuantisedLayer& layer, const std::string& what) {
    layer.requireType(DType::F8E4M3);
    return layer.encoded("mxfp8", takeBlockScales(layer, what, DType::F8E8M0, 32, 1), 32, 32);
}

TensorLocation nvfp4Weight(QuantisedLayer& layer, const std::string& what) {
    layer.requireType(DType::U8);
    Shape shape = takeBlockScales(layer, what, DType::F8E4M3, 16, 2);
    layer.addNumbers("weight_scale_2", 1);
    return layer.encoded("nvfp4", std::move(shape), 16, 8);
}

}  // namespace

TensorLocation comfyWeight(QuantisedLayer& layer, const Json& settings, const std::string& what) {
    const Json stated = settings.is_object() ? settings.value("format", Json()) : Json();
    const std::string format = stated.is_string() ? stated.get<std::string>() : "";
    if (layer.has("pre_quant_scale")) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: it scales its inputs (pre_quant_scale), which is not read", what),
                    message("choose a file in another encoding"));
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
                message("{}: it is quantised as {}, which is not read",
                        what,
                        stated.is_null() ? message("nothing") : Message(stated.dump())),
                message("choose a file in float8_e4m3fn, float8_e5m2, int8_tensorwise, mxfp8 or "
                        "nvfp4, or a GGUF file"));
}

namespace {

constexpr std::string_view kNf4Settings = ".quant_state.bitsandbytes__nf4";
constexpr std::string_view kFp4Settings = ".quant_state.bitsandbytes__fp4";
constexpr std::string_view kInt8Scales = ".SCB";
/// Endings of the names of tensors that a weight needs to be decoded.
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
    std::map<std::string, TensorLocation> weights;
    std::set<std::string> gone;

    void add(const std::string& weight, TensorLocation location, const QuantisedLayer& layer) {
        weights.insert_or_assign(weight, std::move(location));
        gone.insert(layer.companionNames().begin(), layer.companionNames().end());
    }
};

/// What comes before `ending`; empty for another name.
std::string stem(std::string_view name, std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending)
               ? std::string(name.substr(0, name.size() - ending.size()))
               : std::string();
}

void foldComfy(const TensorLocations& tensors,
               const FileMetadata& metadata,
               const files::InputFile& file,
               Folded& folded) {
    const std::string what = quotedName(file.name());
    for (const auto& [name, settings] : comfyLayers(tensors, metadata, file)) {
        QuantisedLayer layer(tensors, what, name + ".weight", name + ".");
        folded.add(
            name + ".weight", comfyWeight(layer, settings, what + ", " + quotedName(name)), layer);
    }
    for (const auto& [name, location] : tensors) {
        if (name == "scaled_fp8" || name.ends_with(".scaled_fp8")) {
            folded.gone.insert(name);
        }
    }
}

/// The numbers are signed bytes with a largest magnitude for each row (LLM.int8).
void foldInt8(const TensorLocations& tensors, const std::string& what, Folded& folded) {
    for (const auto& [name, location] : tensors) {
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
                     message("is {}; needs a shape, a blocksize that is a multiple of 8, and "
                             "scales in blocks of 256",
                             json.dump()));
    }
    return settings;
}

/// Quantiles of a normal distribution, in blocks that go on from row to row (QLoRA).
void foldNf4(const TensorLocations& tensors, const files::InputFile& file, Folded& folded) {
    const std::string what = quotedName(file.name());
    for (const auto& [name, location] : tensors) {
        if (name.ends_with(kFp4Settings)) {
            throw Error(
                ErrorKind::Unsupported,
                message(
                    "{}, {}: bitsandbytes' fp4 is not read, its nf4 is", what, quotedName(name)),
                message("choose a file in nf4 or in another encoding"));
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
        TensorLocation decoded =
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

std::set<std::string> foldQuantised(TensorLocations& tensors,
                                    const FileMetadata& metadata,
                                    const files::InputFile& file) {
    Folded folded;
    foldComfy(tensors, metadata, file, folded);
    foldInt8(tensors, quotedName(file.name()), folded);
    foldNf4(tensors, file, folded);
    for (const std::string& name : folded.gone) {
        tensors.erase(name);
    }
    for (auto& [name, location] : folded.weights) {
        tensors.insert_or_assign(name, std::move(location));
    }
    return folded.gone;
}

}  // namespace lowtide::models
