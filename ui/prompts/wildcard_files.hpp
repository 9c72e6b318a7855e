#pragma once

#include "ui/prompts/prompt_choices.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// What lies in a folder of wildcards.
struct WildcardFiles {
    Wildcards lists;
    std::vector<std::string> problems;  ///< files that are left out, and why, as sentences
};

/// Files of at most so many bytes are read, and so many bytes of all together.
inline constexpr int64_t kMostWildcardBytes = int64_t{16} << 20;
inline constexpr int64_t kMostBytesOfWildcards = int64_t{64} << 20;

/// Reads NAME.txt of `folder` and of the folders in it, up to 8 deep: "people/jobs". A folder that
/// is not there has none. Never throws on what lies there.
[[nodiscard]] WildcardFiles readWildcards(const std::string& folder);

/// The lines of such a file: without white space at their ends, empty ones and those that begin
/// with # left out.
[[nodiscard]] std::vector<std::string> wildcardLines(std::string_view text);

}  // namespace lowtide::ui
