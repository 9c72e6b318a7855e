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
        refuseDamaged(
            subject,
            "is " + std::to_string(size) + " bytes long, too short for a safetensors file");
    }
    std::array<std::byte, kLengthBytes> bytes{};
    file.read(bytes, 0);
    const uint64_t length = ByteCursor(bytes, subject).number(kLengthBytes);
    if (length > static_cast<uint64_t>(kMaxHeaderBytes)) {
        refuseDamaged(subject,
                      "claims a header of " + std::to_string(length) + " bytes, at most " +
                          std::to_string(kMaxHeaderBytes) +
                          " are allowed; it is no safetensors file");
    }
    if (static_cast<Bytes>(length) > size - kLengthBytes) {
        refuseDamaged(subject,
                      "claims a header of " + std::to_string(length) + " bytes, but is only " +
                          std::to_string(size) + " bytes long");
    }
    return static_cast<Bytes>(length);
}

Json headerJson(const ReadableBytes& file, Bytes length) {
    const std::string subject = quotedName(file.name());
    std::string text(static_cast<size_t>(length), '\0');
    file.read(std::as_writable_bytes(std::span(text)), kLengthBytes);
    if (!text.starts_with('{')) {
        refuseDamaged(subject, "the header does not begin with \"{\"; it is no safetensors file");
    }
    const JsonLimits limits = {.maxBytes = static_cast<size_t>(kMaxHeaderBytes),
                               .maxDepth = kMaxDepth};
    return parseJson(text, "the header of " + subject, limits);
}

/// A list of integers that are not negative and fit int64_t.
std::vector<int64_t> readSizes(const JsonReader& tensor, const char* key) {
    const Json* list = tensor.member(key);
    if (!list || !list->is_array()) {
        refuseDamaged(tensor.what(), "\"" + std::string(key) + "\" must be a list of integers");
    }
    if (list->size() > kMostAxes) {
        refuseDamaged(tensor.what(),
                      "\"" + std::string(key) + "\" has " + std::to_string(list->size()) +
                          " entries, at most " + std::to_string(kMostAxes) + " are read");
    }
    std::vector<int64_t> sizes;
    sizes.reserve(list->size());
    for (const Json& item : *list) {
        if (!item.is_number_unsigned() || !std::in_range<int64_t>(item.get<uint64_t>())) {
            refuseDamaged(tensor.what(),
                          "\"" + std::string(key) + "\" holds " +
                              item.dump(-1, ' ', true).substr(0, 40) +
                              ", a size from 0 to 2^63 - 1 is needed");
        }
        sizes.push_back(item.get<int64_t>());
    }
    return sizes;
}

DType readDType(const JsonReader& tensor) {
    const auto name = tensor.text("dtype");
    if (!name) {
        refuseDamaged(tensor.what(), "\"dtype\" is missing");
    }
    const auto type = dtypeFromName(*name);
    if (!type) {
        throw Error(ErrorKind::Unsupported,
                    tensor.what() + " has the element type " + quotedName(*name) +
                        ", which is not read here",
                    "use a file with F32, F16 or BF16 weights");
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
                      "\"data_offsets\" is " + toText(range) + ", [begin, end] is needed");
    }
    if (range[1] > size) {
        refuseDamaged(tensor.what(),
                      "ends at byte " + std::to_string(range[1]) + " of the data, which is only " +
                          std::to_string(size) + " bytes long");
    }
    info.offset = start + range[0];
    info.bytes = range[1] - range[0];
    const auto wanted = byteCount(info.type, info.shape);
    if (wanted != info.bytes) {
        refuseDamaged(tensor.what(),
                      std::string(nameOf(info.type)) + " " + toText(info.shape) + " takes " +
                          (wanted ? std::to_string(*wanted) : "more than 2^63 - 1") +
                          " bytes, the file gives it " + std::to_string(info.bytes));
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
            refuseDamaged(reader.what(),
                          quotedName(key) + " must be a text, it is a " + value.type_name());
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
            refuseDamaged(subject + ", tensor " + quotedName(*name),
                          info->offset < covered
                              ? "overlaps the tensor before it"
                              : "leaves " + std::to_string(info->offset - covered) +
                                    " unused bytes before it");
        }
        covered += info->bytes;
    }
    if (covered != end) {
        refuseDamaged(subject,
                      "has " + std::to_string(end - covered) + " bytes behind its last tensor");
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
            refuseDamaged(subject + ", tensor " + quotedName(name),
                          "the name is " + std::to_string(name.size()) + " bytes long, at most " +
                              std::to_string(kMaxNameBytes) + " are read");
        }
        const JsonReader tensor(value, subject + ", tensor " + quotedName(name));
        header.tensors.emplace(name, readTensor(tensor, start, end - start));
    }
    checkCoverage(subject, header, start, end);
    return header;
}

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
