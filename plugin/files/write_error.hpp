#pragma once

#include "plugin/base/error.hpp"

#include <string>
#include <string_view>
#include <system_error>

namespace lowtide::files {

/// The error of a `path` that could not be written or made (`action`: "write", "make the folder"):
/// Device when the disk is full or fails, else InvalidInput. Names the last part of the path and of
/// its folder, as they were given.
[[nodiscard]] Error writeError(std::string_view action,
                               const std::string& path,
                               std::error_code code);

}  // namespace lowtide::files
