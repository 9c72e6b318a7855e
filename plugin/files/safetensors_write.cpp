#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/little_endian.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/files/safetensors_format.hpp"

#include <utility>

namespace lowtide::files {

namespace {

void requireUtf8(const std::string& text, const char* what) {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput,
                    std::string("a safetensors file cannot hold the ") + what + " " +
                        quotedName(text) + ": it is not UTF-8");
    }
}

void checkTensor(const std::string& name, const TensorBytes& tensor) {
    requireUtf8(name, "tensor name");
    if (name == kMetadataKey) {
        throw Error(
            ErrorKind::InvalidInput,
            quotedName(name) + " cannot be the name of a tensor, the format keeps it for itself");
    }
    if (byteCount(tensor.type, tensor.shape) != static_cast<Bytes>(tensor.bytes.size())) {
        throw Error(ErrorKind::Internal,
                    "tensor " + quotedName(name) + " of type " + std::string(nameOf(tensor.type)) +
                        " and shape " + toText(tensor.shape) + " came with " +
                        std::to_string(tensor.bytes.size()) + " bytes to be written");
    }
}

Json headerOf(const std::map<std::string, TensorBytes>& tensors,
              const std::map<std::string, std::string>& metadata) {
    Json header = Json::object();
    for (const auto& [key, text] : metadata) {
        requireUtf8(key, "metadata key");
        requireUtf8(text, "metadata text");
        header[kMetadataKey][key] = text;
    }
    Bytes offset = 0;
    for (const auto& [name, tensor] : tensors) {
        checkTensor(name, tensor);
        const Bytes end = offset + static_cast<Bytes>(tensor.bytes.size());
        header[name] = {{"dtype", nameOf(tensor.type)},
                        {"shape", tensor.shape},
                        {"data_offsets", {offset, end}}};
        offset = end;
    }
    return header;
}

}  // namespace

void writeSafetensors(const std::string& path,
                      const std::map<std::string, TensorBytes>& tensors,
                      const std::map<std::string, std::string>& metadata) {
    std::string header = headerOf(tensors, metadata).dump();
    header.resize(static_cast<size_t>(alignUp(static_cast<Bytes>(header.size()), 8)), ' ');
    if (static_cast<Bytes>(header.size()) > kMaxHeaderBytes) {
        throw Error(ErrorKind::InvalidInput,
                    "a safetensors header of " + formatBytes(static_cast<Bytes>(header.size())) +
                        " is not allowed, at most " + formatBytes(kMaxHeaderBytes) + " are");
    }
    OutputFile file(path);
    file.write(toLittleEndian(header.size(), kLengthBytes));
    file.write(header);
    for (const auto& [name, tensor] : tensors) {
        file.write(tensor.bytes);
    }
    file.commit();
}

}  // namespace lowtide::files
