#pragma once

#include "plugin/files/readable_bytes.hpp"

#include <string>
#include <string_view>

namespace lowtide::files {

/// Throws Error{Corrupt} where a text lies in the file's place: the pointer of git LFS, or a
/// server's page or answer. `what` is how the message names the file.
void refuseStandIn(std::string_view text, const std::string& what);
/// The same of the first bytes of a file that holds no text.
void refuseStandIn(const ReadableBytes& bytes);

}  // namespace lowtide::files
