#pragma once
// Repositories as the cache of Hugging Face's libraries has them: models--org--name/, with a folder
// for each snapshot and refs/main, which names the current one.

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::files {

/// The name under which people know the repository: "org/name" of "models--org--name", of a path or
/// a name; empty for another folder.
[[nodiscard]] std::string hubName(const std::string& path);
/// Where its files are: the snapshot that refs/main names, or else the only one. Nothing for a
/// folder that is no such repository, or has no snapshot.
[[nodiscard]] std::optional<std::string> hubSnapshot(const std::string& path);
/// Where a name below a folder leads, also "org/name" and "org/name/file" in a cache. Nothing:
/// there is no such file or folder.
[[nodiscard]] std::optional<std::string> placeBelow(const std::string& folder,
                                                    const std::string& name);

}  // namespace lowtide::files
