#include "plugin/executor/kept_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/files/safetensors.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

/// Raised when the meaning of the file or of a codec's metadata changes.
constexpr const char* kKeptFormat = "5";
constexpr std::string_view kExtension = ".safetensors";
constexpr size_t kKeyDigits = 64;

using Metadata = std::map<std::string, std::string>;
using Contents = std::map<std::string, std::vector<std::byte>>;

std::string contentHash(const Metadata& metadata, const memory::EncodedValue& value) {
    Hasher hasher;
    for (const auto& [key, text] : metadata) {
        hasher.add(key).add(text);
    }
    for (const auto& [name, tensor] : value.tensors) {
        hasher.add(name).add(nameOf(tensor.type)).add(lowtide::toText(tensor.shape));
        hasher.add(static_cast<int64_t>(tensor.bytes.size())).addRaw(tensor.bytes);
    }
    return hasher.hexDigest();
}

Metadata metadataOf(const KeptName& name, std::string_view type, const Json& value) {
    return {{"lowtide_result", kKeptFormat},
            {"key", name.key},
            {"port", name.port},
            {"type", std::string(type)},
            {"value", value.dump()}};
}

[[noreturn]] void reject(const files::InputFile& file, const Message& reason) {
    throw Error(ErrorKind::Corrupt,
                message("the kept result {} is not used: {}", file.name(), reason));
}

/// The metadata without the hash; the hash is returned with it.
std::pair<Metadata, std::string> checkedMetadata(const files::InputFile& file,
                                                 const files::SafetensorsHeader& header,
                                                 const KeptName& name,
                                                 std::string_view type) {
    Metadata metadata(header.metadata.begin(), header.metadata.end());
    const std::string hash = metadata["content_hash"];
    metadata.erase("content_hash");
    if (metadata["lowtide_result"] != kKeptFormat) {
        reject(file, message("it was written by another version of this program"));
    }
    if (metadata["key"] != name.key || metadata["port"] != name.port) {
        reject(file, message("it belongs to another graph"));
    }
    if (metadata["type"] != type) {
        reject(file, message("it holds {} where {} is wanted", metadata["type"], type));
    }
    return {std::move(metadata), hash};
}

}  // namespace

std::string fileNameOf(const KeptName& name) {
    return name.key + "-" + name.port + std::string(kExtension);
}

bool isKeptFileName(std::string_view fileName) {
    const size_t digits = fileName.find_first_not_of("0123456789abcdef");
    return digits == kKeyDigits && fileName[digits] == '-' && fileName.ends_with(kExtension);
}

void writeKeptFile(const std::string& path,
                   const KeptName& name,
                   std::string_view type,
                   const memory::EncodedValue& value) {
    Metadata metadata = metadataOf(name, type, value.metadata);
    metadata["content_hash"] = contentHash(metadata, value);
    std::map<std::string, files::TensorBytes> tensors;
    for (const auto& [key, tensor] : value.tensors) {
        tensors[key] = {.type = tensor.type, .shape = tensor.shape, .bytes = tensor.bytes};
    }
    files::writeSafetensors(path, tensors, metadata);
}

memory::EncodedValue readKeptFile(const std::string& path,
                                  const KeptName& name,
                                  std::string_view type) {
    const files::InputFile file(path);
    const files::SafetensorsHeader header = files::readSafetensorsHeader(file);
    auto [metadata, hash] = checkedMetadata(file, header, name, type);
    const auto contents = std::make_shared<Contents>();
    memory::EncodedValue value;
    for (const auto& [key, info] : header.tensors) {
        std::vector<std::byte>& bytes = (*contents)[key];
        bytes.resize(static_cast<size_t>(info.bytes));
        file.read(bytes, info.offset);
        value.tensors[key] = {.type = info.type, .shape = info.shape, .bytes = bytes};
    }
    value.owner = contents;
    if (contentHash(metadata, value) != hash) {
        reject(file, message("its contents do not have the hash that was written with them"));
    }
    value.metadata = parseJson(metadata["value"], file.name());
    return value;
}

}  // namespace lowtide::executor
