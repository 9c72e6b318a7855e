#pragma once
// Pieces of pickles as torch.save writes them (protocol 2).

#include "tests/unit/files/zip_bytes.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::testing {

inline std::string pickled(const std::string& body) {
    return "\x80\x02" + body + ".";
}

inline std::string pickledText(std::string_view text) {
    return "X" + littleEndian(text.size(), 4) + std::string(text);
}

inline std::string pickledInt(int64_t value) {
    return std::string("\x8a\x08") + littleEndian(static_cast<uint64_t>(value), 8);
}

inline std::string pickledGlobal(const std::string& module, const std::string& name) {
    return "c" + module + "\n" + name + "\n";
}

inline std::string pickledTuple(const std::vector<int64_t>& values) {
    std::string bytes = "(";
    for (const int64_t value : values) {
        bytes += pickledInt(value);
    }
    return bytes + "t";
}

/// What a test changes of a tensor.
struct PickledTensor {
    std::string storageType = "FloatStorage";
    std::string key = "0";
    int64_t elements = 6;
    int64_t first = 0;
    std::vector<int64_t> shape = {2, 3};
    std::vector<int64_t> strides = {3, 1};
};

inline std::string pickledTensor(const PickledTensor& tensor) {
    return pickledGlobal("torch._utils", "_rebuild_tensor_v2") + "(" + "(" +
           pickledText("storage") + pickledGlobal("torch", tensor.storageType) +
           pickledText(tensor.key) + pickledText("cpu") + pickledInt(tensor.elements) + "tQ" +
           pickledInt(tensor.first) + pickledTuple(tensor.shape) + pickledTuple(tensor.strides) +
           "\x89" + pickledGlobal("collections", "OrderedDict") + ")R" + "tR";
}

/// A dict of names and values that are pickled already.
inline std::string pickledDict(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string bytes = "}(";
    for (const auto& [name, value] : entries) {
        bytes += pickledText(name) + value;
    }
    return bytes + "u";
}

/// A file of torch.save: the pickle of `body`, and a storage "0" of 24 bytes.
inline std::string torchBytes(const std::string& body, std::vector<ZipFile> more = {}) {
    std::vector<ZipFile> files = {{.name = "archive/data.pkl", .content = pickled(body)},
                                  {.name = "archive/byteorder", .content = "little"},
                                  {.name = "archive/data/0", .content = std::string(24, 'w')}};
    files.insert(files.end(), more.begin(), more.end());
    return zipBytes(files);
}

/// What a test changes of a file of PyTorch before 1.6.
struct LegacyFile {
    int64_t version = 1001;
    bool isLittleEndian = true;
    std::vector<std::string> keys = {"0"};
    int64_t elements = 6;  ///< that the storage states
    std::string storage = std::string(24, 'w');
};

/// Such a file with the pickle of `body`.
inline std::string legacyBytes(const std::string& body, const LegacyFile& file = {}) {
    const std::string magic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
    std::string keys = "](";
    for (const std::string& key : file.keys) {
        keys += pickledText(key);
    }
    return magic + pickled(pickledInt(file.version)) +
           pickled(pickledDict({{"little_endian", file.isLittleEndian ? "\x88" : "\x89"}})) +
           pickled(body) + pickled(keys + "e") +
           littleEndian(static_cast<uint64_t>(file.elements), 8) + file.storage;
}

}  // namespace lowtide::testing
