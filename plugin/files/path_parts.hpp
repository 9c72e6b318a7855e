#pragma once

#include <string>

namespace lowtide::files {

/// The last part of a path ("c" of "a/b/c" and of "a/b/c/"); the path itself where it has none
/// ("/", "").
[[nodiscard]] std::string lastPart(const std::string& path);
/// The path without its last part: "a/b" of "a/b/c" and of "a/b/c/", "." of "c", "/" of "/c".
[[nodiscard]] std::string folderOf(const std::string& path);

}  // namespace lowtide::files
