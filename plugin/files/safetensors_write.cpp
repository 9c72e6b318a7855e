#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/little_endian.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/files/safetensors_format.hpp"

#include <optional>
#include <vector>

namespace lowtide::files {

namespace {

void requireUtf8(const std::string& text, const char* what) {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput,
                    std::string("a safetensors file cannot hold the ") + what + " " +
                        quotedName(text) + ": it is not UTF-8");
    }
}

/// The JSON text of a header while tensors are added in the order in which they lie.
class HeaderText {
public:
    explicit HeaderText(const std::map<std::string, std::string>& metadata) {
        for (const auto& [key, text] : metadata) {
            requireUtf8(key, "metadata key");
            requireUtf8(text, "metadata text");
            header_[kMetadataKey][key] = text;
        }
    }

    /// Returns the tensor's bytes.
    Bytes add(const std::string& name, DType type, const Shape& shape) {
        requireUtf8(name, "tensor name");
        if (name == kMetadataKey) {
            throw Error(ErrorKind::InvalidInput,
                        quotedName(name) +
                            " cannot be the name of a tensor, the format keeps it for itself");
        }
        const std::optional<Bytes> bytes = byteCount(type, shape);
        Bytes end = 0;
        if (!bytes || __builtin_add_overflow(end_, *bytes, &end)) {
            throw Error(ErrorKind::InvalidInput,
                        "a safetensors file cannot hold the tensor " + quotedName(name) +
                            " of shape " + toText(shape) + ": it ends behind byte 2^63 - 1");
        }
        const bool isNew =
            header_
                .emplace(
                    name,
                    Json{{"dtype", nameOf(type)}, {"shape", shape}, {"data_offsets", {end_, end}}})
                .second;
        if (!isNew) {
            throw Error(ErrorKind::InvalidInput,
                        "a safetensors file cannot hold the tensor " + quotedName(name) + " twice");
        }
        end_ = end;
        return *bytes;
    }

    void write(OutputFile& file) const {
        std::string text = header_.dump();
        text.resize(static_cast<size_t>(alignUp(static_cast<Bytes>(text.size()), 8)), ' ');
        if (static_cast<Bytes>(text.size()) > kMaxHeaderBytes) {
            throw Error(ErrorKind::InvalidInput,
                        "a safetensors header of " + formatBytes(static_cast<Bytes>(text.size())) +
                            " is not allowed, at most " + formatBytes(kMaxHeaderBytes) + " are");
        }
        file.write(toLittleEndian(text.size(), kLengthBytes));
        file.write(text);
    }

private:
    Json header_ = Json::object();
    Bytes end_ = 0;
};

}  // namespace

void writeSafetensors(const std::string& path,
                      const std::map<std::string, TensorBytes>& tensors,
                      const std::map<std::string, std::string>& metadata) {
    HeaderText header(metadata);
    for (const auto& [name, tensor] : tensors) {
        if (header.add(name, tensor.type, tensor.shape) !=
            static_cast<Bytes>(tensor.bytes.size())) {
            throw Error(ErrorKind::Internal,
                        "tensor " + quotedName(name) + " of type " +
                            std::string(nameOf(tensor.type)) + " and shape " +
                            toText(tensor.shape) + " came with " +
                            std::to_string(tensor.bytes.size()) + " bytes to be written");
        }
    }
    OutputFile file(path);
    header.write(file);
    for (const auto& [name, tensor] : tensors) {
        file.write(tensor.bytes);
    }
    file.commit();
}

void writeSafetensors(const std::string& path,
                      std::span<const TensorSource> tensors,
                      const std::map<std::string, std::string>& metadata,
                      const StopToken& stop) {
    HeaderText header(metadata);
    std::vector<Bytes> sizes;
    for (const TensorSource& tensor : tensors) {
        sizes.push_back(header.add(tensor.name, tensor.type, tensor.shape));
    }
    OutputFile file(path);
    header.write(file);
    for (size_t i = 0; i < tensors.size(); ++i) {
        writePieces(file, sizes[i], sizeOf(tensors[i].type), tensors[i].fill, stop);
    }
    stop.throwIfStopped();
    file.commit();
}

}  // namespace lowtide::files
