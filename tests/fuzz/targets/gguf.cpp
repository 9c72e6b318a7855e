#include "plugin/files/gguf.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/readable_bytes.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace lowtide::fuzz::gguf_target {

namespace {

using namespace files;

/// The value made again of its elements.
GgufValue rebuilt(const GgufValue& value) {
    const auto elements = value.elements();
    if (!elements) {
        return value;
    }
    std::vector<GgufValue> again;
    for (const GgufValue& element : *elements) {
        again.push_back(rebuilt(element));
    }
    const uint64_t type = fromLittleEndian(std::string_view(value.bytes()).substr(0, 4));
    return GgufValue::ofArray(static_cast<GgufValueType>(type), again);
}

void checkMetadata(const GgufMetadata& metadata) {
    std::set<std::string_view> keys;
    for (const auto& [key, value] : metadata.entries()) {
        require(isValidUtf8(key), "keys are UTF-8");
        require(keys.insert(key).second, "a key is there once");
        require(rebuilt(value).bytes() == value.bytes(), "an array is its elements");
        const int forms = (value.number() ? 1 : 0) + (value.boolean() ? 1 : 0) +
                          (value.text() ? 1 : 0) + (value.elements() ? 1 : 0);
        require(forms == 1, "a value is of one kind");
    }
}

/// Inside the file, aligned, apart, with the bytes of their shapes.
void checkTensors(const GgufHeader& header, Bytes fileBytes) {
    std::set<std::string_view> names;
    std::vector<std::pair<Bytes, Bytes>> ranges;
    for (const GgufTensor& tensor : header.tensors) {
        require(isValidUtf8(tensor.name), "names are UTF-8");
        require(names.insert(tensor.name).second, "a tensor is there once");
        const GgmlTypeInfo& info = infoOf(tensor.type);
        const auto elements = elementCount(tensor.shape);
        require(elements && *elements > 0 &&
                    tensor.bytes / info.bytesPerBlock * info.elementsPerBlock == *elements &&
                    tensor.bytes % info.bytesPerBlock == 0,
                "a tensor has the bytes of its shape");
        require(tensor.offset % header.alignment == 0, "tensors are aligned");
        ranges.emplace_back(tensor.offset, tensor.bytes);
    }
    std::sort(ranges.begin(), ranges.end());
    Bytes covered = 0;
    for (const auto& [offset, bytes] : ranges) {
        require(offset >= covered && bytes <= fileBytes - offset, "tensors lie inside and apart");
        covered = offset + bytes;
    }
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    GgufHeader header;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                               [&] { header = readGgufHeader(MemoryBytes(bytes, "m.gguf")); });
    checkMetadata(header.metadata);
    checkTensors(header, static_cast<Bytes>(bytes.size()));
    return isTaken;
}

[[maybe_unused]] const bool isEntered = enterTarget("gguf", runInput);

}  // namespace lowtide::fuzz::gguf_target
