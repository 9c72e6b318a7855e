#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/gguf_format.hpp"
#include "plugin/files/gguf_tensors.hpp"
#include "plugin/files/piece_cursor.hpp"
#include "plugin/files/stand_in.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace lowtide::files {

namespace {

/// Vocabularies of language models fill some 20 MiB.
constexpr Bytes kLargestGgufHeader = 256 * kMiB;
/// A key's length, a type and a value of one byte.
constexpr uint64_t kLeastEntryBytes = 13;

[[noreturn]] void refuseVersion(const std::string& subject, uint32_t version) {
    if (version != 0 && (version & 0xFFFF) == 0) {
        throw Error(ErrorKind::Unsupported,
                    subject + ": is a big-endian GGUF file, only little-endian ones are read",
                    "convert it with gguf-convert-endian of the Python package gguf, or use "
                    "another file");
    }
    throw Error(
        ErrorKind::Unsupported,
        subject + ": is of GGUF version " + std::to_string(version) + ", versions 2 and 3 are read",
        "convert the model to GGUF again, or use another file");
}

[[noreturn]] void refuseStart(const ReadableBytes& bytes, const std::string& subject) {
    constexpr Bytes kShown = 16;
    std::string start(static_cast<size_t>(std::min(bytes.size(), kShown)), '\0');
    bytes.read(std::as_writable_bytes(std::span(start)), 0);
    refuseDamaged(subject,
                  "is no GGUF file: it " +
                      (start.empty() ? "is empty" : "begins with " + quotedName(start)) +
                      ", such files begin with \"GGUF\"");
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
    requireRoom(cursor, count, kLeastEntryBytes, "keys");
    for (uint64_t i = 0; i < count; ++i) {
        const std::string key = takeName(cursor, kLongestGgufKey, "key");
        const std::string what = cursor.subject() + ", key " + quotedName(key);
        if (metadata.find(key)) {
            refuseDamaged(what, "is there twice");
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
        refuseDamaged(cursor.subject() + ", key " + quotedName(kAlignmentKey),
                      "must be a UINT32, a power of two from 8 on");
    }
    header.alignment = *alignment;
    header.tensors = takeTensors(cursor, tensorCount, header.alignment);
    return header;
}

}  // namespace lowtide::files
