#include "plugin/files/safetensors.hpp"

#include "plugin/base/text.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::fuzz::safetensors_target {

namespace {

using namespace files;

constexpr size_t kLengthBytes = 8;

/// The tensors cover the file from the end of the header to its own end, each byte once.
void checkHeader(const SafetensorsHeader& header, std::string_view file) {
    std::vector<std::pair<Bytes, Bytes>> ranges;
    for (const auto& [name, tensor] : header.tensors) {
        require(isValidUtf8(name), "names are UTF-8");
        const auto elements = elementCount(tensor.shape);
        require(elements && *elements * sizeOf(tensor.type) == tensor.bytes,
                "a tensor has the bytes of its shape");
        ranges.emplace_back(tensor.offset, tensor.offset + tensor.bytes);
    }
    for (const auto& [key, text] : header.metadata) {
        require(isValidUtf8(key) && isValidUtf8(text), "metadata is UTF-8");
    }
    std::sort(ranges.begin(), ranges.end());
    const auto size = static_cast<Bytes>(file.size());
    Bytes covered = ranges.empty() ? size : ranges.front().first;
    require(covered >= static_cast<Bytes>(kLengthBytes), "no tensor lies in the header");
    for (const auto& [begin, end] : ranges) {
        require(begin == covered && end >= begin, "tensors touch and do not overlap");
        covered = end;
    }
    require(covered == size, "tensors end with the file");
}

bool readFile(std::string_view file) {
    SafetensorsHeader header;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported}, [&] {
        header = readSafetensorsHeader(MemoryBytes(std::as_bytes(std::span(file)), "f"));
    });
    if (isTaken) {
        checkHeader(header, file);
    }
    return isTaken;
}

/// The file with the length that its header has, so that a changed header is read at all.
std::string withRightLength(std::string_view file) {
    std::string changed(file);
    const size_t last = changed.rfind('}');
    size_t length = last == changed.npos || last < kLengthBytes ? 0 : last + 1 - kLengthBytes;
    for (size_t i = 0; i < kLengthBytes; ++i, length >>= 8) {
        changed[i] = static_cast<char>(length & 0xFF);
    }
    return changed;
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return readFile(file) || (file.size() > kLengthBytes && readFile(withRightLength(file)));
}

[[maybe_unused]] const bool isEntered = enterTarget("safetensors", runInput);

}  // namespace lowtide::fuzz::safetensors_target
