#pragma once
// Pieces of GGUF files; a test changes what it wants to be wrong.

#include "tests/unit/files/zip_bytes.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::testing {

inline std::string ggufText(std::string_view text) {
    return littleEndian(text.size(), 8) + std::string(text);
}

/// A key with a value whose bytes are given.
inline std::string ggufEntry(std::string_view key, uint32_t type, std::string_view value) {
    return ggufText(key) + littleEndian(type, 4) + std::string(value);
}

/// The value of an array: type and number of its elements, then their bytes.
inline std::string ggufArray(uint32_t type, uint64_t count, std::string_view elements) {
    return littleEndian(type, 4) + littleEndian(count, 8) + std::string(elements);
}

inline std::string ggufAlignment(uint32_t alignment) {
    return ggufEntry("general.alignment", 4, littleEndian(alignment, 4));
}

struct GgufTensorEntry {
    std::string name = "t";
    std::vector<uint64_t> sizes = {4};  ///< innermost first, as files have them
    uint32_t type = 0;
    uint64_t offset = 0;
};

inline std::string ggufTensor(const GgufTensorEntry& tensor) {
    std::string bytes = ggufText(tensor.name) + littleEndian(tensor.sizes.size(), 4);
    for (const uint64_t size : tensor.sizes) {
        bytes += littleEndian(size, 8);
    }
    return bytes + littleEndian(tensor.type, 4) + littleEndian(tensor.offset, 8);
}

/// One file under construction.
struct GgufFile {
    std::vector<std::string> entries = {};
    std::vector<std::string> tensors = {ggufTensor({})};
    size_t dataBytes = 16;
    uint64_t version = 3;
    std::string magic = "GGUF";
    size_t alignment = 32;
};

/// What stands before the keys.
inline std::string ggufStart(const GgufFile& file, uint64_t tensorCount, uint64_t entryCount) {
    return file.magic + littleEndian(file.version, 4) + littleEndian(tensorCount, 8) +
           littleEndian(entryCount, 8);
}

/// Its data counts from 1.
inline std::string ggufBytes(const GgufFile& file) {
    std::string bytes = ggufStart(file, file.tensors.size(), file.entries.size());
    for (const std::string& entry : file.entries) {
        bytes += entry;
    }
    for (const std::string& tensor : file.tensors) {
        bytes += tensor;
    }
    bytes.resize((bytes.size() + file.alignment - 1) / file.alignment * file.alignment);
    for (size_t i = 0; i < file.dataBytes; ++i) {
        bytes += static_cast<char>(i + 1);
    }
    return bytes;
}

}  // namespace lowtide::testing
