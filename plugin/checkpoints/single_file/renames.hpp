#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide::models {

/// Parts of names: ours, and those of a file's layout.
using Renames = std::span<const std::pair<std::string_view, std::string_view>>;

/// The first place where each of `renames` stands is put in the layout's words, in their order.
[[nodiscard]] inline std::string renamed(std::string text, Renames renames) {
    for (const auto& [ours, theirs] : renames) {
        const size_t at = text.find(ours);
        if (at != text.npos) {
            text.replace(at, ours.size(), theirs);
        }
    }
    return text;
}

}  // namespace lowtide::models
