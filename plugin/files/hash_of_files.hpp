#pragma once

#include <span>
#include <string>

namespace lowtide::files {

/// Identity of a network's files: the SHA-256 of a single one, as sha256sum prints it, else that of
/// the digests of all in their order. Errors of InputFile.
[[nodiscard]] std::string sha256OfFiles(std::span<const std::string> paths);

}  // namespace lowtide::files
