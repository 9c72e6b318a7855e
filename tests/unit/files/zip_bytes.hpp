#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::testing {

inline std::string littleEndian(uint64_t value, int byteCount) {
    std::string bytes;
    for (int i = 0; i < byteCount; ++i) {
        bytes += static_cast<char>(value >> (8 * i) & 0xFF);
    }
    return bytes;
}

/// One file of an archive under construction; a test changes what it wants to be wrong.
struct ZipFile {
    std::string name;
    std::string content;
    uint64_t method = 0;
    uint64_t flags = 0;
    std::string localName = {};   ///< empty: the same
    std::string localExtra = {};  ///< of the local header: torch pads with it
    std::string extra = {};       ///< of the directory
    int64_t statedBytes = -1;     ///< in the directory; -1: those of the content
    int64_t statedOffset = -1;    ///< of the local header, in the directory
};

inline std::string zipLocal(const ZipFile& file) {
    const std::string& name = file.localName.empty() ? file.name : file.localName;
    return "PK\x03\x04" + littleEndian(20, 2) + littleEndian(file.flags, 2) +
           littleEndian(file.method, 2) + std::string(8, '\0') +
           littleEndian(file.content.size(), 4) + littleEndian(file.content.size(), 4) +
           littleEndian(name.size(), 2) + littleEndian(file.localExtra.size(), 2) + name +
           file.localExtra + file.content;
}

inline std::string zipEntry(const ZipFile& file, uint64_t offset) {
    const uint64_t bytes =
        file.statedBytes < 0 ? file.content.size() : static_cast<uint64_t>(file.statedBytes);
    const uint64_t index =
        file.statedOffset < 0 ? offset : static_cast<uint64_t>(file.statedOffset);
    return "PK\x01\x02" + std::string(2, '\x14') + std::string(2, '\0') +
           littleEndian(file.flags, 2) + littleEndian(file.method, 2) + std::string(8, '\0') +
           littleEndian(bytes, 4) + littleEndian(bytes, 4) + littleEndian(file.name.size(), 2) +
           littleEndian(file.extra.size(), 2) + std::string(2 + 2 + 2 + 4, '\0') +
           littleEndian(index, 4) + file.name + file.extra;
}

inline std::string zipEnd(uint64_t entries, uint64_t bytes, uint64_t offset) {
    return "PK\x05\x06" + std::string(4, '\0') + littleEndian(entries, 2) +
           littleEndian(entries, 2) + littleEndian(bytes, 4) + littleEndian(offset, 4) +
           std::string(2, '\0');
}

/// The zip64 record and its locator, which lie before zipEnd().
inline std::string zipEnd64(uint64_t entries, uint64_t bytes, uint64_t offset, uint64_t index) {
    return "PK\x06\x06" + littleEndian(44, 8) + littleEndian(45, 2) + littleEndian(45, 2) +
           std::string(8, '\0') + littleEndian(entries, 8) + littleEndian(entries, 8) +
           littleEndian(bytes, 8) + littleEndian(offset, 8) + "PK\x06\x07" + std::string(4, '\0') +
           littleEndian(index, 8) + littleEndian(1, 4);
}

struct ZipParts {
    std::string files;
    std::string directory;
};

inline ZipParts zipParts(const std::vector<ZipFile>& files) {
    ZipParts parts;
    for (const ZipFile& file : files) {
        parts.directory += zipEntry(file, parts.files.size());
        parts.files += zipLocal(file);
    }
    return parts;
}

/// A whole archive of stored files.
inline std::string zipBytes(const std::vector<ZipFile>& files) {
    const ZipParts parts = zipParts(files);
    return parts.files + parts.directory +
           zipEnd(files.size(), parts.directory.size(), parts.files.size());
}

}  // namespace lowtide::testing
