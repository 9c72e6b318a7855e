#pragma once
// Parts of paths, and paths from a disk as text.

#include <string>
#include <string_view>

namespace lowtide::files {

/// The last part of a path ("c" of "a/b/c" and of "a/b/c/"); the path itself where it has none
/// ("/", "").
[[nodiscard]] std::string lastPart(const std::string& path);
/// The path without its last part: "a/b" of "a/b/c" and of "a/b/c/", "." of "c", "/" of "/c".
[[nodiscard]] std::string folderOf(const std::string& path);

/// A path as text. One that is UTF-8 is returned unchanged; bytes of another encoding are escaped
/// ("mod\xE8le"), so that the text fits JSON and two such paths remain different. It opens nothing.
[[nodiscard]] std::string pathText(std::string_view path);

}  // namespace lowtide::files
