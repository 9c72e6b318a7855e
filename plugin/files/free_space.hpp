#pragma once

#include "plugin/base/units.hpp"

#include <functional>
#include <optional>
#include <string>

namespace lowtide::files {

/// Bytes that a file at that path may take, by its file system; nothing where that does not say.
using FreeBytes = std::function<std::optional<Bytes>(const std::string& path)>;

/// What the file system of the path's folder leaves to this user.
[[nodiscard]] std::optional<Bytes> freeBytesAt(const std::string& path);

/// Refuses a file of so many bytes where they are not free: one that it replaces stays until it is
/// whole. Error{Device} says both sizes.
void requireRoom(const std::string& path, Bytes bytes, const FreeBytes& freeBytes = freeBytesAt);

}  // namespace lowtide::files
