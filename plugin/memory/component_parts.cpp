#include "plugin/memory/component_parts.hpp"

#include <algorithm>

namespace lowtide::memory {

bool isOpenPattern(std::string_view pattern) noexcept {
    return pattern.ends_with('*');
}

bool matchesRole(std::string_view pattern, std::string_view role) noexcept {
    return isOpenPattern(pattern) ? role.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : role == pattern;
}

bool matchesAnyRole(const std::vector<std::string>& patterns, std::string_view role) noexcept {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return matchesRole(pattern, role);
    });
}

}  // namespace lowtide::memory
