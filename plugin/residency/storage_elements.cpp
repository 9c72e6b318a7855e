#include "plugin/residency/storage_elements.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/element_conversion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace lowtide::residency {

void requireFinite(const std::string& role,
                   const memory::Storage& storage,
                   const files::InputFile& file,
                   const std::byte* raw,
                   int64_t count) {
    if (!storage.mustBeFinite || areFinite(storage.fileType, raw, count)) {
        return;
    }
    throw Error(
        ErrorKind::Corrupt,
        message("{}: the adapter {} holds a number in {} that is not finite (NaN or infinity)",
                role,
                quotedName(file.name()),
                quotedName(storage.key)),
        message("get the adapter again, or choose another one"));
}

void requireValid(const std::string& role,
                  const memory::Storage& storage,
                  const files::InputFile& file,
                  const encodings::StoredPart& stored) {
    const encodings::Encoding& encoding = encodings::encodingOf(*stored.tensor);
    if (const auto fault = encoding.fault(stored)) {
        throw Error(ErrorKind::Corrupt,
                    message("{}.{}, {} in {}: {}",
                            role,
                            storage.key,
                            encoding.label,
                            quotedName(file.name()),
                            *fault),
                    message("get the file again, or choose another one"));
    }
}

namespace {

using encodings::Part;

constexpr Bytes kNumberBytes = sizeof(float);

/// The whole blocks that hold these elements.
Part blocksAround(const memory::Encoded& encoded, int64_t first, int64_t count) {
    const int64_t size = encoded.blockElements;
    const int64_t begin = first / size * size;
    return {begin, (first + count + size - 1) / size * size - begin};
}

/// The same blocks, as the companions count them.
Part inWhole(const memory::Encoded& encoded, Part part) {
    return {encoded.firstElement + part.first, part.count};
}

Bytes companionBytes(const memory::Encoded& encoded, Part part) {
    Bytes bytes = 0;
    for (size_t i = 0; i < encoded.companions.size(); ++i) {
        bytes += encodings::companionRange(encoded, i, inWhole(encoded, part)).count;
    }
    return bytes;
}

}  // namespace

void readNamed(const files::InputFile& file,
               const std::string& role,
               const memory::Storage& storage,
               std::span<std::byte> target,
               Bytes offset,
               const StopToken& stop) {
    try {
        file.read(target, offset, stop);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Corrupt) {
            throw;
        }
        throw Error(
            error.kind(), message("{}.{}: {}", role, storage.key, error.message()), error.hint());
    }
}

StorageElements::StorageElements(std::shared_ptr<const files::InputFile> file,
                                 std::string role,
                                 const memory::Storage& storage,
                                 std::span<std::byte> scratch)
    : file_(std::move(file)), role_(std::move(role)), storage_(storage), scratch_(scratch) {}

Bytes StorageElements::scratchBytes(const memory::Storage& storage,
                                    DType type,
                                    int64_t first,
                                    int64_t count) {
    if (!storage.encoded) {
        return type == storage.fileType ? 0 : storage.bytesOf(count);
    }
    const Part part = blocksAround(*storage.encoded, first, count);
    return part.count * kNumberBytes + storage.bytesOf(part.count) +
           companionBytes(*storage.encoded, part);
}

int64_t StorageElements::goodCount(DType type) const {
    const auto bytes = static_cast<Bytes>(scratch_.size());
    if (!storage_.encoded) {
        return type == storage_.fileType ? files::kReadPiece / sizeOf(type)
                                         : bytes / sizeOf(storage_.fileType);
    }
    const int64_t size = storage_.encoded->blockElements;
    constexpr int64_t kParts = 2;  // the numbers, and all else
    return std::max(size, bytes / kParts / kNumberBytes / size * size);
}

void StorageElements::read(
    std::byte* target, DType type, int64_t first, int64_t count, const StopToken& stop) const {
    storage_.encoded ? readEncoded(target, type, first, count, stop)
                     : readPlain(target, type, first, count, stop);
}

void StorageElements::readPlain(
    std::byte* target, DType type, int64_t first, int64_t count, const StopToken& stop) const {
    std::byte* raw = type == storage_.fileType ? target : scratch_.data();
    readBytes({raw, static_cast<size_t>(storage_.bytesOf(count))},
              storage_.fileOffset + storage_.bytesOf(first),
              stop);
    requireFinite(role_, storage_, *file_, raw, count);
    if (raw != target) {
        convertElements(target, type, raw, storage_.fileType, count);
    }
}

void StorageElements::readEncoded(
    std::byte* target, DType type, int64_t first, int64_t count, const StopToken& stop) const {
    const memory::Encoded& encoded = *storage_.encoded;
    const Part part = blocksAround(encoded, first, count);
    if (scratchBytes(storage_, type, first, count) > static_cast<Bytes>(scratch_.size())) {
        if (part.count <= encoded.blockElements) {
            throw Error(
                ErrorKind::Unsupported,
                message("{}.{}: the scales of one block take {}, more than are read at once",
                        role_,
                        storage_.key,
                        formatBytes(companionBytes(encoded, part))),
                message("choose a file in another encoding"));
        }
        const int64_t half = part.count / encoded.blockElements / 2 * encoded.blockElements;
        const int64_t head = std::min(count, part.first + half - first);
        readEncoded(target, type, first, head, stop);
        readEncoded(target + head * sizeOf(type), type, first + head, count - head, stop);
        return;
    }
    const bool isDirect = type == DType::F32 && part.first == first && part.count == count;
    auto* numbers = reinterpret_cast<float*>(isDirect ? target : scratch_.data());
    decode(numbers, part, scratch_.subspan(static_cast<size_t>(part.count * kNumberBytes)), stop);
    const auto* wanted = reinterpret_cast<const std::byte*>(numbers + (first - part.first));
    requireFinite(role_, storage_, *file_, wanted, count);
    if (!isDirect) {
        convertElements(target, type, wanted, DType::F32, count);
    }
}

void StorageElements::decode(float* numbers,
                             Part part,
                             std::span<std::byte> scratch,
                             const StopToken& stop) const {
    const memory::Encoded& encoded = *storage_.encoded;
    const auto take = [&](Bytes bytes) {
        const auto taken = scratch.first(static_cast<size_t>(bytes));
        scratch = scratch.subspan(taken.size());
        return taken;
    };
    const std::span<std::byte> blocks = take(storage_.bytesOf(part.count));
    readBytes(blocks, storage_.fileOffset + storage_.bytesOf(part.first), stop);
    std::vector<std::span<const std::byte>> companions;
    const Part whole = inWhole(encoded, part);
    for (size_t i = 0; i < encoded.companions.size(); ++i) {
        const encodings::ByteRange range = encodings::companionRange(encoded, i, whole);
        const std::span<std::byte> bytes = take(range.count);
        readBytes(bytes, encoded.companions[i].fileOffset + range.begin, stop);
        companions.push_back(bytes);
    }
    const encodings::StoredPart stored{
        .tensor = &encoded, .part = whole, .blocks = blocks.data(), .companions = companions};
    requireValid(role_, storage_, *file_, stored);
    encodings::encodingOf(encoded).decode(stored, numbers);
}

}  // namespace lowtide::residency
