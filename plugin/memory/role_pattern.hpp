#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

/// Whether a pattern means the components of a role: the role itself, or with "*" at its end every
/// role that begins so ("text_encoder*": text_encoder, text_encoder_2).
[[nodiscard]] bool matchesRole(std::string_view pattern, std::string_view role) noexcept;

/// Whether more than one role can match.
[[nodiscard]] bool isOpenPattern(std::string_view pattern) noexcept;

/// matchesRole() of any of `patterns`.
[[nodiscard]] bool matchesAnyRole(const std::vector<std::string>& patterns,
                                  std::string_view role) noexcept;

}  // namespace lowtide::memory
