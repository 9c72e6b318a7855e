#pragma once

#include <string>
#include <string_view>

namespace lowtide::files {

/// A path as text. One that is UTF-8 is returned unchanged; bytes of another encoding are escaped
/// ("mod\xE8le"), so that the text fits JSON and two such paths stay different. It opens nothing.
[[nodiscard]] std::string pathText(std::string_view path);

}  // namespace lowtide::files
