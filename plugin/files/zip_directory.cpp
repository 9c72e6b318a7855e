#include "plugin/files/zip_directory.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace lowtide::files {

namespace {

constexpr uint64_t kLocalSignature = 0x04034b50;
constexpr uint64_t kEntrySignature = 0x02014b50;
constexpr std::string_view kEndStart = "PK\x05\x06";
constexpr uint64_t kEnd64Signature = 0x06064b50;
constexpr uint64_t kLocator64Signature = 0x07064b50;

constexpr Bytes kLocalBytes = 30;
constexpr Bytes kEndBytes = 22;
constexpr Bytes kLocatorBytes = 20;
constexpr Bytes kEnd64Bytes = 56;
constexpr Bytes kLongestComment = 0xFFFF;

constexpr uint64_t kIn64Bits = 0xFFFFFFFF;  ///< the number stands in a zip64 record
constexpr uint64_t kCountIn64Bits = 0xFFFF;
constexpr uint64_t kZip64Field = 0x0001;
constexpr uint64_t kEncrypted = 0x2041;  ///< flags 0, 6 and 13
constexpr uint64_t kSizesFollow = 0x0008;

constexpr uint64_t kMostEntries = 1'000'000;
constexpr Bytes kLargestDirectory = 64 * kMiB;

[[noreturn]] void refuseKind(const std::string& subject, const Message& problem) {
    throw Error(ErrorKind::Unsupported,
                message("{}: {}", subject, problem),
                message("save the checkpoint with torch.save, or take its safetensors version"));
}

std::vector<std::byte> bytesAt(const ReadableBytes& bytes, Bytes offset, Bytes count) {
    std::vector<std::byte> part(static_cast<size_t>(count));
    bytes.read(part, offset);
    return part;
}

/// A number of the archive that must not be larger than `most`.
Bytes checked(uint64_t value, Bytes most, const std::string& subject, const Message& what) {
    if (value > static_cast<uint64_t>(most)) {
        refuseDamaged(subject, message("{} is {}, at most {} is possible", what, value, most));
    }
    return static_cast<Bytes>(value);
}

/// Where the directory lies, and how many entries it has.
struct Extent {
    uint64_t entries = 0;
    uint64_t bytes = 0;
    uint64_t offset = 0;
    Bytes end = 0;  ///< where the directory must end
};

/// One entry as the directory states it.
struct Stated {
    std::string name;
    uint64_t flags = 0;
    uint64_t bytes = 0;
    Bytes header = 0;  ///< of its local header
};

class ZipReader {
public:
    explicit ZipReader(const ReadableBytes& bytes)
        : bytes_(bytes), subject_(quotedName(bytes.name())) {}

    ZipDirectory read() const {
        const Extent extent = findDirectory();
        const std::vector<Stated> entries = readEntries(extent);
        ZipDirectory directory;
        std::vector<std::tuple<Bytes, Bytes, const std::string*>> positions;
        for (const Stated& entry : entries) {
            const ZipEntry position = entryOf(entry, static_cast<Bytes>(extent.offset));
            if (!directory.emplace(entry.name, position).second) {
                refuseDamaged(subjectOf(entry.name), message("is in the archive twice"));
            }
            positions.emplace_back(entry.header, position.offset + position.bytes, &entry.name);
        }
        checkApart(std::move(positions));
        return directory;
    }

private:
    std::string subjectOf(std::string_view name) const {
        return subject_ + ", " + quotedName(name);
    }

    /// The last record of the archive, behind which at most a comment lies.
    Bytes findEnd() const {
        const Bytes count = std::min(bytes_.size(), kEndBytes + kLongestComment);
        const std::vector<std::byte> tail = bytesAt(bytes_, bytes_.size() - count, count);
        const std::string_view text(reinterpret_cast<const char*>(tail.data()), tail.size());
        for (size_t at = text.rfind(kEndStart); at != text.npos;
             at = at == 0 ? text.npos : text.rfind(kEndStart, at - 1)) {
            const std::span<const std::byte> record = std::span<const std::byte>(tail).subspan(at);
            if (record.size() < static_cast<size_t>(kEndBytes)) {
                continue;
            }
            ByteCursor cursor(record, subject_);
            cursor.skip(kEndBytes - 2);
            if (cursor.number(2) == record.size() - static_cast<size_t>(kEndBytes)) {
                return bytes_.size() - static_cast<Bytes>(record.size());
            }
        }
        refuseDamaged(subject_, message("the directory of the archive is missing at its end"));
    }

    Extent findDirectory() const {
        const Bytes end = findEnd();
        const std::vector<std::byte> record = bytesAt(bytes_, end, kEndBytes);
        ByteCursor cursor(record, subject_);
        cursor.skip(4);
        requireOnePart(cursor.number(2), cursor.number(2));
        const uint64_t here = cursor.number(2);
        Extent extent{.entries = cursor.number(2), .end = end};
        extent.bytes = cursor.number(4);
        extent.offset = cursor.number(4);
        if (here != extent.entries) {
            refuseKind(subject_, message("the archive is in several parts"));
        }
        return checkedExtent(withZip64(extent));
    }

    void requireOnePart(uint64_t part, uint64_t directoryPart) const {
        if (part != 0 || directoryPart != 0) {
            refuseKind(subject_, message("the archive is in several parts"));
        }
    }

    /// The numbers of the zip64 record where there is one; both records must agree.
    Extent withZip64(const Extent& plain) const {
        const bool isNeeded = plain.entries == kCountIn64Bits || plain.bytes == kIn64Bits ||
                              plain.offset == kIn64Bits;
        const std::optional<Bytes> at = findRecord64(plain.end);
        if (!at) {
            if (isNeeded) {
                refuseDamaged(subject_, message("the zip64 record is missing"));
            }
            return plain;
        }
        const std::vector<std::byte> record = bytesAt(bytes_, *at, kEnd64Bytes);
        ByteCursor cursor(record, subject_);
        if (cursor.number(4) != kEnd64Signature) {
            refuseDamaged(subject_,
                          message("the zip64 record is not where the archive states it to be"));
        }
        cursor.skip(12);
        requireOnePart(cursor.number(4), cursor.number(4));
        const uint64_t here = cursor.number(8);
        Extent extent{.entries = cursor.number(8), .end = *at};
        extent.bytes = cursor.number(8);
        extent.offset = cursor.number(8);
        const auto agrees = [](uint64_t wide, uint64_t narrow, uint64_t marker) {
            return narrow == marker || wide == narrow;
        };
        if (here != extent.entries || !agrees(extent.entries, plain.entries, kCountIn64Bits) ||
            !agrees(extent.bytes, plain.bytes, kIn64Bits) ||
            !agrees(extent.offset, plain.offset, kIn64Bits)) {
            refuseDamaged(
                subject_,
                message("the two records at the end of the archive contradict each other"));
        }
        return extent;
    }

    std::optional<Bytes> findRecord64(Bytes end) const {
        if (end < kLocatorBytes + kEnd64Bytes) {
            return std::nullopt;
        }
        const std::vector<std::byte> locator = bytesAt(bytes_, end - kLocatorBytes, kLocatorBytes);
        ByteCursor cursor(locator, subject_);
        if (cursor.number(4) != kLocator64Signature) {
            return std::nullopt;
        }
        const uint64_t part = cursor.number(4);
        const uint64_t offset = cursor.number(8);
        requireOnePart(part, 0);
        return checked(offset,
                       end - kLocatorBytes - kEnd64Bytes,
                       subject_,
                       message("the zip64 record's offset"));
    }

    Extent checkedExtent(const Extent& extent) const {
        if (extent.entries > kMostEntries) {
            refuseDamaged(
                subject_,
                message("claims {} files, at most {} are read", extent.entries, kMostEntries));
        }
        const Bytes size = checked(
            extent.bytes, kLargestDirectory, subject_, message("the size of the directory"));
        const Bytes offset =
            checked(extent.offset, extent.end, subject_, message("the offset of the directory"));
        if (size != extent.end - offset) {
            refuseDamaged(
                subject_,
                message("the directory has {} bytes, there are {}", size, extent.end - offset));
        }
        return extent;
    }

    std::vector<Stated> readEntries(const Extent& extent) const {
        const std::vector<std::byte> bytes =
            bytesAt(bytes_, static_cast<Bytes>(extent.offset), static_cast<Bytes>(extent.bytes));
        ByteCursor cursor(bytes, subject_ + ", its directory");
        std::vector<Stated> entries;
        for (uint64_t i = 0; i < extent.entries; ++i) {
            entries.push_back(readEntry(cursor));
        }
        if (!cursor.isAtEnd()) {
            refuseDamaged(subject_, message("the directory has bytes behind its last file"));
        }
        return entries;
    }

    Stated readEntry(ByteCursor& cursor) const {
        if (cursor.number(4) != kEntrySignature) {
            refuseDamaged(
                subject_,
                message("byte {} of the directory begins no entry", cursor.position() - 4));
        }
        cursor.skip(4);
        Stated entry{.name = {}, .flags = cursor.number(2)};
        const uint64_t method = cursor.number(2);
        cursor.skip(8);  // time, date, checksum
        uint64_t packed = cursor.number(4);
        entry.bytes = cursor.number(4);
        const uint64_t nameBytes = cursor.number(2);
        const uint64_t extraBytes = cursor.number(2);
        const uint64_t commentBytes = cursor.number(2);
        const uint64_t part = cursor.number(2);
        cursor.skip(6);  // attributes
        uint64_t header = cursor.number(4);
        entry.name = cursor.text(nameBytes);
        checkName(entry.name);
        const std::string_view extra = cursor.text(extraBytes);
        cursor.skip(commentBytes);
        readExtra64(entry, extra, packed, header);
        requireOnePart(part == kCountIn64Bits ? 0 : part, 0);
        if ((entry.flags & kEncrypted) != 0) {
            refuseKind(subjectOf(entry.name), message("is encrypted"));
        }
        if (method != 0 || packed != entry.bytes) {
            refuseKind(subjectOf(entry.name),
                       message("is compressed (method {}), only stored files are read", method));
        }
        entry.header = checked(header, bytes_.size(), subjectOf(entry.name), message("its offset"));
        return entry;
    }

    /// Numbers that do not fit 32 bits stand in an extra field, in this order.
    void readExtra64(Stated& entry,
                     std::string_view extra,
                     uint64_t& packed,
                     uint64_t& header) const {
        ByteCursor cursor(std::as_bytes(std::span(extra)), subjectOf(entry.name));
        while (!cursor.isAtEnd()) {
            const uint64_t kind = cursor.number(2);
            const std::string_view field = cursor.text(cursor.number(2));
            if (kind != kZip64Field) {
                continue;
            }
            ByteCursor numbers(std::as_bytes(std::span(field)), subjectOf(entry.name));
            for (uint64_t* number : {&entry.bytes, &packed, &header}) {
                if (*number == kIn64Bits) {
                    *number = numbers.number(8);
                }
            }
            return;
        }
    }

    void checkName(const std::string& name) const {
        const bool isStrange = name.empty() || name.front() == '/' ||
                               name.find('\\') != std::string::npos ||
                               name.find('\0') != std::string::npos;
        const std::vector<std::string> parts = split(name, '/');
        if (isStrange || std::find(parts.begin(), parts.end(), "..") != parts.end()) {
            refuseDamaged(subjectOf(name), message("is no name of a file inside the archive"));
        }
    }

    /// Reads the local header, which must state the same.
    ZipEntry entryOf(const Stated& entry, Bytes directory) const {
        const std::string subject = subjectOf(entry.name);
        const auto nameBytes = static_cast<Bytes>(entry.name.size());
        if (entry.header > directory || directory - entry.header < kLocalBytes + nameBytes) {
            refuseDamaged(subject, message("does not lie before the directory"));
        }
        const std::vector<std::byte> header =
            bytesAt(bytes_, entry.header, kLocalBytes + nameBytes);
        ByteCursor cursor(header, subject);
        const bool isHeader = cursor.number(4) == kLocalSignature;
        cursor.skip(2);
        const uint64_t flags = cursor.number(2);
        const uint64_t method = cursor.number(2);
        cursor.skip(8);
        const uint64_t packed = cursor.number(4);
        const uint64_t bytes = cursor.number(4);
        const bool namesFit = cursor.number(2) == entry.name.size();
        const auto extra = static_cast<Bytes>(cursor.number(2));
        const bool sizesFit = (flags & kSizesFollow) != 0 || bytes == kIn64Bits ||
                              (packed == entry.bytes && bytes == entry.bytes);
        if (!isHeader || !namesFit || cursor.text(entry.name.size()) != entry.name || method != 0 ||
            (flags & kEncrypted) != 0 || !sizesFit) {
            refuseDamaged(subject, message("its own header does not agree with the directory"));
        }
        const Bytes offset = entry.header + kLocalBytes + nameBytes + extra;
        if (offset > directory || entry.bytes > static_cast<uint64_t>(directory - offset)) {
            refuseDamaged(subject,
                          message("has {} bytes at {}, which reach into the directory at {}",
                                  entry.bytes,
                                  offset,
                                  directory));
        }
        return {.offset = offset, .bytes = static_cast<Bytes>(entry.bytes)};
    }

    void checkApart(std::vector<std::tuple<Bytes, Bytes, const std::string*>> positions) const {
        std::sort(positions.begin(), positions.end());
        Bytes covered = 0;
        for (const auto& [begin, end, name] : positions) {
            if (begin < covered) {
                refuseDamaged(subjectOf(*name), message("overlaps the file before it"));
            }
            covered = end;
        }
    }

    const ReadableBytes& bytes_;
    std::string subject_;
};

}  // namespace

bool looksLikeZip(const ReadableBytes& bytes) {
    if (bytes.size() < 4) {
        return false;
    }
    const std::vector<std::byte> start = bytesAt(bytes, 0, 4);
    return ByteCursor(start, {}).number(4) == kLocalSignature;
}

ZipDirectory readZipDirectory(const ReadableBytes& bytes) {
    return ZipReader(bytes).read();
}

}  // namespace lowtide::files
