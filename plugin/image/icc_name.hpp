#pragma once

#include <string>
#include <string_view>

namespace lowtide::image {

/// The name in an ICC profile of which the begin is given, in UTF-8, at most 80 characters of
/// ASCII; "unnamed" where it has none that can be read. Source: ICC.1:2022 9.2.41 and 10.15; the
/// form of version 2 in ICC.1:2001-04 6.5.17.
[[nodiscard]] std::string iccName(std::string_view profile);

/// Whether a profile of that name is sRGB's.
[[nodiscard]] bool isSrgbName(std::string_view name);

}  // namespace lowtide::image
