#include "plugin/files/gguf.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/ggml_type.hpp"
#include "plugin/files/gguf_metadata.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::files {

inline constexpr std::string_view kGgufMagic = "GGUF";
/// The version that is written, the newest.
inline constexpr uint32_t kGgufVersion = 3;
inline constexpr const char* kAlignmentKey = "general.alignment";
/// The format's own limit.
inline constexpr size_t kLongestGgufKey = 65535;
inline constexpr size_t kLongestGgufName = 4096;
/// GGML_MAX_DIMS is 4; ComfyUI-GGUF's files of video models have convolutions over frames.
inline constexpr size_t kMostGgufSizes = 5;

/// The alignment that metadata states, 32 where it states none. Empty when it is no UINT32 or no
/// power of two from 8 on.
[[nodiscard]] std::optional<Bytes> alignmentIn(const GgufMetadata& metadata);

/// Why a key or tensor name cannot be in a file ("is not UTF-8"); empty when it can.
[[nodiscard]] Message problemOfName(std::string_view name, size_t mostBytes);

/// The same of the shape of a tensor, outermost size first.
[[nodiscard]] Message problemOfShape(GgmlType type, std::span<const int64_t> shape);

/// Error{Corrupt} when the rest of the file is too short for `count` entries ("keys") of
/// `leastBytes`.
void requireSpace(const PieceCursor& cursor,
                  uint64_t count,
                  uint64_t leastBytes,
                  const Message& entries);

/// A key or a name, as `what` names it ("key"). Error{Corrupt} unless it is UTF-8 and not too long.
[[nodiscard]] std::string takeName(PieceCursor& cursor, size_t mostBytes, const Message& what);

/// Takes `count` tensors; their data begins behind the list. Errors: as readGgufHeader().
[[nodiscard]] std::vector<GgufTensor> takeTensors(PieceCursor& cursor,
                                                  uint64_t count,
                                                  Bytes alignment);

namespace {

constexpr Bytes kDefaultAlignment = 32;
constexpr Bytes kLeastAlignment = 8;

}  // namespace

std::optional<Bytes> alignmentIn(const GgufMetadata& metadata) {
    const GgufValue* value = metadata.find(kAlignmentKey);
    if (!value) {
        return kDefaultAlignment;
    }
    const Bytes alignment = value->integer().value_or(0);
    const bool isUsable = value->type() == GgufValueType::Uint32 && alignment >= kLeastAlignment &&
                          std::has_single_bit(static_cast<uint64_t>(alignment));
    return isUsable ? std::optional(alignment) : std::nullopt;
}

Message problemOfName(std::string_view name, size_t mostBytes) {
    if (name.size() > mostBytes) {
        return message("is {} bytes long, at most {} are allowed", name.size(), mostBytes);
    }
    return isValidUtf8(name) ? Message() : message("is not UTF-8");
}

Message problemOfShape(GgmlType type, std::span<const int64_t> shape) {
    const GgmlTypeInfo& info = infoOf(type);
    const int64_t row = shape.empty() ? 1 : shape.back();
    if (shape.size() > kMostGgufSizes) {
        return message("has {} sizes, at most {} are allowed", shape.size(), kMostGgufSizes);
    }
    if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 1; })) {
        return message("has the shape {}, each size must be from 1 to 2^63 - 1", toText(shape));
    }
    if (row % info.elementsPerBlock != 0) {
        return message("has rows of {} elements, but {} stores blocks of {}",
                       row,
                       info.name,
                       info.elementsPerBlock);
    }
    if (!byteCount(type, shape)) {
        return message("takes more than 2^63 - 1 bytes as {} {}", info.name, toText(shape));
    }
    return {};
}

namespace {

/// A name's length, the number of sizes, a type and an offset.
constexpr uint64_t kLeastTensorBytes = 24;

Shape takeShape(PieceCursor& cursor, const Message& what) {
    const uint64_t count = cursor.number(4);
    if (count > kMostGgufSizes) {
        refuseDamaged(what, message("has {} sizes, at most {} are allowed", count, kMostGgufSizes));
    }
    Shape shape;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t size = cursor.number(8);
        if (!std::in_range<int64_t>(size)) {
            refuseDamaged(what,
                          message("has a size of {}, each size must be from 1 to 2^63 - 1", size));
        }
        shape.push_back(static_cast<int64_t>(size));
    }
    std::reverse(shape.begin(), shape.end());
    return shape;
}

GgmlType takeType(PieceCursor& cursor, const Message& what) {
    const auto number = static_cast<uint32_t>(cursor.number(4));
    const GgmlTypeInfo* info = ggmlTypeOf(number);
    if (!info) {
        throw Error(
            ErrorKind::Unsupported,
            message(
                "{}: its element type has the number {}, which is not known here", what, number),
            message("use a file with another quantisation, such as Q8_0 or Q4_K"));
    }
    return info->type;
}

/// `offset` of the result counts from the start of the data still.
GgufTensor takeTensor(PieceCursor& cursor, Bytes alignment) {
    GgufTensor tensor;
    tensor.name = takeName(cursor, kLongestGgufName, message("tensor"));
    const Message what = message("{}, tensor {}", cursor.subject(), quotedName(tensor.name));
    tensor.shape = takeShape(cursor, what);
    tensor.type = takeType(cursor, what);
    const Message problem = problemOfShape(tensor.type, tensor.shape);
    if (!problem.empty()) {
        refuseDamaged(what, problem);
    }
    tensor.bytes = *byteCount(tensor.type, tensor.shape);
    const uint64_t offset = cursor.number(8);
    if (offset % static_cast<uint64_t>(alignment) != 0) {
        refuseDamaged(
            what,
            message("begins at byte {} of the data, which is no multiple of the alignment {}",
                    offset,
                    alignment));
    }
    if (!std::in_range<Bytes>(offset)) {
        refuseDamaged(what, message("begins at byte {} of the data", offset));
    }
    tensor.offset = static_cast<Bytes>(offset);
    return tensor;
}

void requireUniqueNames(const std::string& subject, const std::vector<GgufTensor>& tensors) {
    std::set<std::string_view> names;
    for (const GgufTensor& tensor : tensors) {
        if (!names.insert(tensor.name).second) {
            refuseDamaged(message("{}, tensor {}", subject, quotedName(tensor.name)),
                          message("is there twice"));
        }
    }
}

void requireApart(const std::string& subject, const std::vector<GgufTensor>& tensors) {
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& tensor : tensors) {
        order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(), [](const GgufTensor* a, const GgufTensor* b) {
        return a->offset < b->offset;
    });
    for (size_t i = 1; i < order.size(); ++i) {
        if (order[i]->offset < order[i - 1]->offset + order[i - 1]->bytes) {
            refuseDamaged(message("{}, tensor {}", subject, quotedName(order[i]->name)),
                          message("overlaps the tensor {}", quotedName(order[i - 1]->name)));
        }
    }
}

}  // namespace

void requireSpace(const PieceCursor& cursor,
                  uint64_t count,
                  uint64_t leastBytes,
                  const Message& entries) {
    if (count > cursor.left() / leastBytes) {
        refuseDamaged(
            cursor.subject(),
            message("claims {} {}, but only {} bytes follow", count, entries, cursor.left()));
    }
}

std::string takeName(PieceCursor& cursor, size_t mostBytes, const Message& what) {
    const uint64_t length = cursor.number(8);
    if (length > mostBytes) {
        refuseDamaged(
            cursor.subject(),
            message("a {} is {} bytes long, at most {} are allowed", what, length, mostBytes));
    }
    std::string name = cursor.text(length);
    const Message problem = problemOfName(name, mostBytes);
    if (!problem.empty()) {
        refuseDamaged(message("{}, {} {}", cursor.subject(), what, quotedName(name)), problem);
    }
    return name;
}

std::vector<GgufTensor> takeTensors(PieceCursor& cursor, uint64_t count, Bytes alignment) {
    requireSpace(cursor, count, kLeastTensorBytes, message("tensors"));
    std::vector<GgufTensor> tensors;
    for (uint64_t i = 0; i < count; ++i) {
        tensors.push_back(takeTensor(cursor, alignment));
    }
    requireUniqueNames(cursor.subject(), tensors);
    const Bytes start = alignUp(cursor.position(), alignment);
    const Bytes end = cursor.position() + static_cast<Bytes>(cursor.left());
    for (GgufTensor& tensor : tensors) {
        if (end - start < tensor.offset || end - start - tensor.offset < tensor.bytes) {
            refuseDamaged(
                message("{}, tensor {}", cursor.subject(), quotedName(tensor.name)),
                message("takes {} bytes from byte {} of the data on, which is only {} bytes long",
                        tensor.bytes,
                        tensor.offset,
                        std::max<Bytes>(end - start, 0)));
        }
        tensor.offset += start;
    }
    requireApart(cursor.subject(), tensors);
    return tensors;
}

namespace {

/// Vocabularies of language models fill some 20 MiB.
constexpr Bytes kLargestGgufHeader = 256 * kMiB;
/// A key's length, a type and a value of one byte.
constexpr uint64_t kLeastEntryBytes = 13;

[[noreturn]] void refuseVersion(const std::string& subject, uint32_t version) {
    if (version != 0 && (version & 0xFFFF) == 0) {
        throw Error(
            ErrorKind::Unsupported,
            message("{}: is a big-endian GGUF file, only little-endian ones are read", subject),
            message("convert it with gguf-convert-endian of the Python package gguf, or use "
                    "another file"));
    }
    throw Error(ErrorKind::Unsupported,
                message("{}: is of GGUF version {}, versions 2 and 3 are read", subject, version),
                message("convert the model to GGUF again, or use another file"));
}

[[noreturn]] void refuseStart(const ReadableBytes& bytes, const std::string& subject) {
    constexpr Bytes kShown = 16;
    std::string start(static_cast<size_t>(std::min(bytes.size(), kShown)), '\0');
    bytes.read(std::as_writable_bytes(std::span(start)), 0);
    refuseDamaged(subject,
                  message("is no GGUF file: it {}, such files begin with \"GGUF\"",
                          start.empty() ? message("is empty")
                                        : message("begins with {}", quotedName(start))));
}

uint32_t takeVersion(const ReadableBytes& bytes, PieceCursor& cursor) {
    if (cursor.left() < kGgufMagic.size() || cursor.text(kGgufMagic.size()) != kGgufMagic) {
        refuseStart(bytes, cursor.subject());
    }
    const auto version = static_cast<uint32_t>(cursor.number(4));
    if (version != 2 && version != kGgufVersion) {
        refuseVersion(cursor.subject(), version);
    }
    return version;
}

GgufMetadata takeMetadata(PieceCursor& cursor, uint64_t count) {
    GgufMetadata metadata(cursor.subject());
    requireSpace(cursor, count, kLeastEntryBytes, message("keys"));
    for (uint64_t i = 0; i < count; ++i) {
        const std::string key = takeName(cursor, kLongestGgufKey, message("key"));
        const Message what = message("{}, key {}", cursor.subject(), quotedName(key));
        if (metadata.find(key)) {
            refuseDamaged(what, message("is there twice"));
        }
        const auto type = static_cast<uint32_t>(cursor.number(4));
        metadata.set(key, GgufValue::take(cursor, type, what));
    }
    return metadata;
}

}  // namespace

bool looksLikeGguf(const ReadableBytes& bytes) {
    std::array<std::byte, kGgufMagic.size()> start{};
    if (bytes.size() < static_cast<Bytes>(start.size())) {
        return false;
    }
    bytes.read(start, 0);
    return std::memcmp(start.data(), kGgufMagic.data(), start.size()) == 0;
}

GgufHeader readGgufHeader(const ReadableBytes& bytes) {
    refuseStandIn(bytes);
    PieceCursor cursor(bytes, quotedName(bytes.name()), kLargestGgufHeader);
    GgufHeader header;
    header.version = static_cast<int>(takeVersion(bytes, cursor));
    const uint64_t tensorCount = cursor.number(8);
    const uint64_t entryCount = cursor.number(8);
    header.metadata = takeMetadata(cursor, entryCount);
    const auto alignment = alignmentIn(header.metadata);
    if (!alignment) {
        refuseDamaged(message("{}, key {}", cursor.subject(), quotedName(kAlignmentKey)),
                      message("must be a UINT32, a power of two from 8 on"));
    }
    header.alignment = *alignment;
    header.tensors = takeTensors(cursor, tensorCount, header.alignment);
    return header;
}

namespace {

[[noreturn]] void refuseOutput(const Message& what, const Message& problem) {
    throw Error(ErrorKind::InvalidInput,
                message("a GGUF file cannot hold {}: it {}", what, problem));
}

std::string lengthAndText(const std::string& text, size_t mostBytes, const Message& what) {
    const Message problem = problemOfName(text, mostBytes);
    if (!problem.empty()) {
        refuseOutput(message("{} {}", what, quotedName(text)), problem);
    }
    return toLittleEndian(text.size(), 8) + text;
}

std::string tensorEntry(const GgufSource& tensor, Bytes offset) {
    std::string entry = lengthAndText(tensor.name, kLongestGgufName, message("the tensor name"));
    entry += toLittleEndian(tensor.shape.size(), 4);
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size) {
        entry += toLittleEndian(static_cast<uint64_t>(*size), 8);
    }
    return entry + toLittleEndian(static_cast<uint64_t>(tensor.type), 4) +
           toLittleEndian(static_cast<uint64_t>(offset), 8);
}

/// Where the next tensor begins.
Bytes offsetBehind(const GgufSource& tensor, Bytes offset, Bytes alignment) {
    const Message problem = problemOfShape(tensor.type, tensor.shape);
    const Message what = message("the tensor {}", quotedName(tensor.name));
    if (!problem.empty()) {
        refuseOutput(what, problem);
    }
    Bytes end = 0;
    if (__builtin_add_overflow(offset, *byteCount(tensor.type, tensor.shape), &end) ||
        __builtin_add_overflow(end, alignment, &end)) {
        refuseOutput(what, message("ends behind byte 2^63 - 1"));
    }
    return alignUp(end - alignment, alignment);
}

std::string ggufHeaderOf(const GgufMetadata& metadata,
                         std::span<const GgufSource> tensors,
                         Bytes alignment) {
    std::string header(kGgufMagic);
    header += toLittleEndian(kGgufVersion, 4);
    header += toLittleEndian(tensors.size(), 8);
    header += toLittleEndian(metadata.entries().size(), 8);
    for (const auto& [key, value] : metadata.entries()) {
        header += lengthAndText(key, kLongestGgufKey, message("the key"));
        header += toLittleEndian(static_cast<uint64_t>(value.type()), 4) + value.bytes();
    }
    std::set<std::string_view> names;
    Bytes offset = 0;
    for (const GgufSource& tensor : tensors) {
        if (!names.insert(tensor.name).second) {
            refuseOutput(message("the tensor {}", quotedName(tensor.name)),
                         message("is there twice"));
        }
        header += tensorEntry(tensor, offset);
        offset = offsetBehind(tensor, offset, alignment);
    }
    return header;
}

/// Up to the next multiple of the alignment.
void writePadding(OutputFile& file, Bytes written, Bytes alignment) {
    const Bytes end = alignUp(written, alignment);
    while (written < end) {
        const Bytes count = std::min(kMiB, end - written);
        file.write(std::string(static_cast<size_t>(count), '\0'));
        written += count;
    }
}

}  // namespace

void writeGguf(const std::string& path,
               const GgufMetadata& metadata,
               std::span<const GgufSource> tensors,
               const StopToken& stop) {
    const auto alignment = alignmentIn(metadata);
    if (!alignment) {
        refuseOutput(message("the key \"{}\"", kAlignmentKey),
                     message("must be a UINT32, a power of two from 8 on"));
    }
    const std::string header = ggufHeaderOf(metadata, tensors, *alignment);
    OutputFile file(path);
    file.write(header);
    writePadding(file, static_cast<Bytes>(header.size()), *alignment);
    for (const GgufSource& tensor : tensors) {
        const Bytes total = *byteCount(tensor.type, tensor.shape);
        writePieces(file, total, infoOf(tensor.type).bytesPerBlock, tensor.fill, stop);
        writePadding(file, total, *alignment);
    }
    stop.throwIfStopped();
    file.commit();
}

}  // namespace lowtide::files
