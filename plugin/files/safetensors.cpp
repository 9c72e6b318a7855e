#include "plugin/files/safetensors.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace lowtide::files {

std::optional<Bytes> byteCount(DType type, std::span<const int64_t> shape) noexcept {
    const auto elements = elementCount(shape);
    if (!elements || *elements > std::numeric_limits<Bytes>::max() / sizeOf(type)) {
        return std::nullopt;
    }
    return *elements * sizeOf(type);
}

namespace {

/// A header of this format is three levels deep; a few more for members that are not known here.
constexpr int kMaxDepth = 8;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kMostAxes = 64;  ///< as many as a tensor of LibTorch may have

/// Size of the JSON text, after the checks that need nothing else.
Bytes headerLength(const ReadableBytes& file) {
    const std::string subject = quotedName(file.name());
    const Bytes size = file.size();
    if (size < kLengthBytes) {
        refuseDamaged(subject, message("is {} bytes long, too short for a safetensors file", size));
    }
    std::array<std::byte, kLengthBytes> bytes{};
    file.read(bytes, 0);
    const uint64_t length = ByteCursor(bytes, subject).number(kLengthBytes);
    if (length > static_cast<uint64_t>(kMaxHeaderBytes)) {
        refuseDamaged(
            subject,
            message(
                "claims a header of {} bytes, at most {} are allowed; it is no safetensors file",
                length,
                kMaxHeaderBytes));
    }
    if (static_cast<Bytes>(length) > size - kLengthBytes) {
        refuseDamaged(
            subject,
            message("is cut off: it has {} bytes, and its header alone takes {}", size, length));
    }
    return static_cast<Bytes>(length);
}

Json headerJson(const ReadableBytes& file, Bytes length) {
    const std::string subject = quotedName(file.name());
    std::string text(static_cast<size_t>(length), '\0');
    file.read(std::as_writable_bytes(std::span(text)), kLengthBytes);
    if (!text.starts_with('{')) {
        refuseDamaged(subject,
                      message("the header does not begin with \"{{\"; it is no safetensors file"));
    }
    const JsonLimits limits = {.maxBytes = static_cast<size_t>(kMaxHeaderBytes),
                               .maxDepth = kMaxDepth};
    return parseJson(text, "the header of " + subject, limits);
}

/// A list of integers that are not negative and fit int64_t.
std::vector<int64_t> readSizes(const JsonReader& tensor, const char* key) {
    const Json* list = tensor.member(key);
    if (!list || !list->is_array()) {
        refuseDamaged(tensor.what(), message("\"{}\" must be a list of integers", key));
    }
    if (list->size() > kMostAxes) {
        refuseDamaged(
            tensor.what(),
            message("\"{}\" has {} entries, at most {} are read", key, list->size(), kMostAxes));
    }
    std::vector<int64_t> sizes;
    sizes.reserve(list->size());
    for (const Json& item : *list) {
        if (!item.is_number_unsigned() || !std::in_range<int64_t>(item.get<uint64_t>())) {
            refuseDamaged(tensor.what(),
                          message("\"{}\" holds {}, a size from 0 to 2^63 - 1 is needed",
                                  key,
                                  item.dump(-1, ' ', true).substr(0, 40)));
        }
        sizes.push_back(item.get<int64_t>());
    }
    return sizes;
}

DType readDType(const JsonReader& tensor) {
    const auto name = tensor.text("dtype");
    if (!name) {
        refuseDamaged(tensor.what(), message("\"dtype\" is missing"));
    }
    const auto type = dtypeFromName(*name);
    if (!type) {
        throw Error(ErrorKind::Unsupported,
                    message("{} has the element type {}, which is not read here",
                            tensor.what(),
                            quotedName(*name)),
                    message("use a file with F32, F16 or BF16 weights"));
    }
    return *type;
}

/// `start` is where the bytes of the tensors begin in the file, `size` how many there are.
TensorInfo readTensor(const JsonReader& tensor, Bytes start, Bytes size) {
    TensorInfo info;
    info.type = readDType(tensor);
    info.shape = readSizes(tensor, "shape");
    const std::vector<int64_t> range = readSizes(tensor, "data_offsets");
    if (range.size() != 2 || range[0] > range[1]) {
        refuseDamaged(tensor.what(),
                      message("\"data_offsets\" is {}, [begin, end] is needed", toText(range)));
    }
    if (range[1] > size) {
        refuseDamaged(
            tensor.what(),
            message("ends at byte {} of the data, which is only {} bytes long", range[1], size));
    }
    info.offset = start + range[0];
    info.bytes = range[1] - range[0];
    const auto wanted = byteCount(info.type, info.shape);
    if (wanted != info.bytes) {
        refuseDamaged(
            tensor.what(),
            message("{} {} takes {} bytes, the file gives it {}",
                    nameOf(info.type),
                    toText(info.shape),
                    wanted ? Message(std::to_string(*wanted)) : message("more than 2^63 - 1"),
                    info.bytes));
    }
    return info;
}

std::map<std::string, std::string, std::less<>> readMetadata(const std::string& subject,
                                                             const Json& json) {
    std::map<std::string, std::string, std::less<>> metadata;
    if (json.is_null()) {
        return metadata;
    }
    const JsonReader reader(json, subject + ", " + kMetadataKey);
    for (const auto& [key, value] : json.items()) {
        if (!value.is_string()) {
            refuseDamaged(
                reader.what(),
                message("{} must be a text, it is a {}", quotedName(key), value.type_name()));
        }
        metadata.emplace(key, value.get<std::string>());
    }
    return metadata;
}

/// The tensors must cover the data from its first byte to its last, each byte once.
void checkCoverage(const std::string& subject,
                   const SafetensorsHeader& header,
                   Bytes start,
                   Bytes end) {
    std::vector<std::pair<const std::string*, const TensorInfo*>> order;
    order.reserve(header.tensors.size());
    for (const auto& [name, info] : header.tensors) {
        order.emplace_back(&name, &info);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second->offset, a.second->bytes) <
               std::pair(b.second->offset, b.second->bytes);
    });
    Bytes covered = start;
    for (const auto& [name, info] : order) {
        if (info->offset != covered) {
            refuseDamaged(message("{}, tensor {}", subject, quotedName(*name)),
                          info->offset < covered ? message("overlaps the tensor before it")
                                                 : message("leaves {} unused bytes before it",
                                                           info->offset - covered));
        }
        covered += info->bytes;
    }
    if (covered != end) {
        refuseDamaged(subject, message("has {} bytes behind its last tensor", end - covered));
    }
}

}  // namespace

bool looksLikeSafetensors(const ReadableBytes& bytes) {
    std::array<std::byte, kLengthBytes + 1> start{};
    if (bytes.size() < static_cast<Bytes>(start.size())) {
        return false;
    }
    bytes.read(start, 0);
    return start.back() == std::byte{'{'};
}

SafetensorsHeader readSafetensorsHeader(const ReadableBytes& file) {
    refuseStandIn(file);
    const std::string subject = quotedName(file.name());
    const Bytes length = headerLength(file);
    const Json json = headerJson(file, length);
    const Bytes start = kLengthBytes + length;
    const Bytes end = file.size();
    SafetensorsHeader header;
    for (const auto& [name, value] : json.items()) {
        if (name == kMetadataKey) {
            header.metadata = readMetadata(subject, value);
            continue;
        }
        if (name.size() > kMaxNameBytes) {
            refuseDamaged(
                message("{}, tensor {}", subject, quotedName(name)),
                message(
                    "the name is {} bytes long, at most {} are read", name.size(), kMaxNameBytes));
        }
        const JsonReader tensor(value, subject + ", tensor " + quotedName(name));
        header.tensors.emplace(name, readTensor(tensor, start, end - start));
    }
    checkCoverage(subject, header, start, end);
    return header;
}

namespace {

void requireUtf8(const std::string& text, const Message& what) {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput,
                    message("a safetensors file cannot hold the {} {}: it is not UTF-8",
                            what,
                            quotedName(text)));
    }
}

/// The JSON text of a header while tensors are added in the order in which they lie.
class HeaderText {
public:
    explicit HeaderText(const std::map<std::string, std::string>& metadata) {
        for (const auto& [key, text] : metadata) {
            requireUtf8(key, message("metadata key"));
            requireUtf8(text, message("metadata text"));
            header_[kMetadataKey][key] = text;
        }
    }

    /// Returns the tensor's bytes.
    Bytes add(const std::string& name, DType type, const Shape& shape) {
        requireUtf8(name, message("tensor name"));
        if (name == kMetadataKey) {
            throw Error(ErrorKind::InvalidInput,
                        message("{} cannot be the name of a tensor, the format keeps it for itself",
                                quotedName(name)));
        }
        const std::optional<Bytes> bytes = byteCount(type, shape);
        Bytes end = 0;
        if (!bytes || __builtin_add_overflow(end_, *bytes, &end)) {
            throw Error(ErrorKind::InvalidInput,
                        message("a safetensors file cannot hold the tensor {} of shape {}: it ends "
                                "behind byte 2^63 - 1",
                                quotedName(name),
                                toText(shape)));
        }
        const bool isNew =
            header_
                .emplace(
                    name,
                    Json{{"dtype", nameOf(type)}, {"shape", shape}, {"data_offsets", {end_, end}}})
                .second;
        if (!isNew) {
            throw Error(
                ErrorKind::InvalidInput,
                message("a safetensors file cannot hold the tensor {} twice", quotedName(name)));
        }
        end_ = end;
        return *bytes;
    }

    void write(OutputFile& file) const {
        std::string text = header_.dump();
        text.resize(static_cast<size_t>(alignUp(static_cast<Bytes>(text.size()), 8)), ' ');
        if (static_cast<Bytes>(text.size()) > kMaxHeaderBytes) {
            throw Error(ErrorKind::InvalidInput,
                        message("a safetensors header of {} is not allowed, at most {} are",
                                formatBytes(static_cast<Bytes>(text.size())),
                                formatBytes(kMaxHeaderBytes)));
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
            throw Error(
                ErrorKind::Internal,
                message("tensor {} of type {} and shape {} came with {} bytes to be written",
                        quotedName(name),
                        nameOf(tensor.type),
                        toText(tensor.shape),
                        tensor.bytes.size()));
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
