#pragma once

#include "plugin/files/readable_bytes.hpp"

#include <map>
#include <string>

namespace lowtide::files {

/// The bytes of one file of an archive, as they lie in the archive.
struct ZipEntry {
    Bytes offset = 0;  ///< from the start of the archive
    Bytes bytes = 0;
};

/// The files of an archive by name.
using ZipDirectory = std::map<std::string, ZipEntry, std::less<>>;

/// Whether the bytes begin as an archive does.
[[nodiscard]] bool looksLikeZip(const ReadableBytes& bytes);

/// Reads and checks the directory of an archive whose files are stored as they are. Refused by
/// name: compressed and encrypted files, names that lead elsewhere ("..", "/", "\\"), repeated
/// names, files that overlap or lie outside, local headers that state something else, archives in
/// several parts, a directory of more than a million files or 64 MiB. Checksums are not compared:
/// the files are mapped and read where they are used. Error{Corrupt}, Error{Unsupported}.
/// Source: PKWARE APPNOTE 6.3.10, sections 4.3 (with the zip64 records 4.3.14, 4.3.15, 4.5.3).
[[nodiscard]] ZipDirectory readZipDirectory(const ReadableBytes& bytes);

}  // namespace lowtide::files
