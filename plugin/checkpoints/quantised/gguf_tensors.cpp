#include "plugin/checkpoints/quantised/gguf_tensors.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/gguf.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace lowtide::models {

namespace {

constexpr std::string_view kShapePrefix = "comfy.gguf.orig_shape.";

std::optional<DType> plainType(files::GgmlType type) {
    switch (type) {
        case files::GgmlType::F64:
            return DType::F64;
        case files::GgmlType::F32:
            return DType::F32;
        case files::GgmlType::F16:
            return DType::F16;
        case files::GgmlType::BF16:
            return DType::BF16;
        case files::GgmlType::I64:
            return DType::I64;
        case files::GgmlType::I32:
            return DType::I32;
        case files::GgmlType::I16:
            return DType::I16;
        case files::GgmlType::I8:
            return DType::I8;
        default:
            return std::nullopt;
    }
}

/// "Q4_K" -> "q4_k".
std::string encodingName(std::string_view type) {
    std::string name(type);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return name;
}

/// As converters stated it, else as it lies in the file.
Shape statedShape(const files::GgufHeader& header,
                  const files::GgufTensor& tensor,
                  const std::string& what) {
    const auto stated = header.metadata.integers(std::string(kShapePrefix) + tensor.name);
    if (!stated) {
        return tensor.shape;
    }
    const bool isPositive =
        std::all_of(stated->begin(), stated->end(), [](int64_t size) { return size > 0; });
    if (!isPositive || elementCount(*stated) != elementCount(tensor.shape)) {
        throw Error(ErrorKind::Corrupt,
                    what + ": is " + toText(tensor.shape) + " in the file, its metadata say " +
                        toText(*stated),
                    "get the file again, or choose another one");
    }
    return *stated;
}

TensorPlace placeOfTensor(const files::GgufHeader& header,
                          const files::GgufTensor& tensor,
                          const std::string& what) {
    TensorPlace place{.offset = tensor.offset, .shape = statedShape(header, tensor, what)};
    if (const std::optional<DType> plain = plainType(tensor.type)) {
        place.type = *plain;
        return place;
    }
    const files::GgmlTypeInfo& info = files::infoOf(tensor.type);
    const std::string encoding = encodingName(info.name);
    if (!info.name.starts_with('Q') || !encodings::findEncoding(encoding)) {
        throw Error(ErrorKind::Unsupported,
                    what + ": is quantised as " + std::string(info.name) + ", which is not read",
                    "choose a file in Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 or Q2_K to Q6_K");
    }
    place.encoded = {.encoding = encoding,
                     .blockElements = info.elementsPerBlock,
                     .blockBytes = info.bytesPerBlock,
                     .columns = tensor.shape.back()};
    return place;
}

}  // namespace

GgufTensors openGguf(const files::InputFile& file) {
    const files::GgufHeader header = files::readGgufHeader(file);
    GgufTensors opened;
    for (const files::GgufTensor& tensor : header.tensors) {
        const std::string what = quotedName(file.name()) + ", " + quotedName(tensor.name);
        opened.tensors.emplace(tensor.name, placeOfTensor(header, tensor, what));
    }
    for (const auto& [key, value] : header.metadata.entries()) {
        if (const std::optional<std::string> text = value.text()) {
            opened.metadata.emplace(key, *text);
        }
    }
    return opened;
}

}  // namespace lowtide::models
