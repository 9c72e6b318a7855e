#pragma once

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"

#include <string>
#include <string_view>
#include <system_error>

namespace lowtide::files {

/// What writeError() gives: a caller that knows where its folder is chosen can say so.
class WriteError : public Error {
public:
    using Error::Error;
};

/// The error of a `path` that could not be written or made (`action`: "write", "make the folder"):
/// Device when the disk is full or fails, else InvalidInput. Names the last part of the path and of
/// its folder, as they were given.
[[nodiscard]] WriteError writeError(std::string_view action,
                                    const std::string& path,
                                    std::error_code code);

/// Error{Device} of a file that its disk has no room for, with the same parts of the path.
[[nodiscard]] Error noRoomError(const std::string& path, Bytes bytes, Bytes free);

}  // namespace lowtide::files
