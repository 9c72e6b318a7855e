#pragma once
// What downloads leave: repositories in the cache of Hugging Face, and what lies in place of a file
// (git LFS's pointer, a server's page).

#include "plugin/files/readable_bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::files {

// Repositories as the cache of Hugging Face's libraries has them: models--org--name/, with a folder
// for each snapshot and refs/main, which names the current one.

/// The name under which users know the repository: "org/name" of "models--org--name", of a path or
/// a name; empty for another folder.
[[nodiscard]] std::string hubName(const std::string& path);
/// Where its files are: the snapshot that refs/main names, or else the only one. Nothing for a
/// folder that is no such repository, or has no snapshot.
[[nodiscard]] std::optional<std::string> hubSnapshot(const std::string& path);
/// Where a name below a folder leads, also "org/name" and "org/name/file" in a cache. Nothing:
/// there is no such file or folder.
[[nodiscard]] std::optional<std::string> pathBelow(const std::string& folder,
                                                   const std::string& name);

/// Throws Error{Corrupt} where a text lies in place of the file: the pointer of git LFS, or a
/// server's page or answer. `what` is how the message names the file.
void refuseStandIn(std::string_view text, const std::string& what);
/// The same of the first bytes of a file that holds no text.
void refuseStandIn(const ReadableBytes& bytes);

}  // namespace lowtide::files
