#pragma once

#include "plugin/graph/document.hpp"

namespace lowtide::ui {

/// Whether two values are written as the same text: 1 and 1.0 are not, 0.0 and -0.0 are not.
[[nodiscard]] bool isIdentical(const Json& a, const Json& b);
[[nodiscard]] bool isIdentical(const graph::DocumentNode& a, const graph::DocumentNode& b);
[[nodiscard]] bool isIdentical(const graph::Link& a, const graph::Link& b);
[[nodiscard]] bool isIdentical(const graph::ExposedParam& a, const graph::ExposedParam& b);

/// Whether a run of the two nodes gives the same: all but position, title and unknown keys.
[[nodiscard]] bool meansTheSame(const graph::DocumentNode& a, const graph::DocumentNode& b);
/// Whether the nodes differ at most in their positions.
[[nodiscard]] bool differsOnlyInPosition(const graph::DocumentNode& a,
                                         const graph::DocumentNode& b);

/// The same of lists, entry by entry.
template <class Entry>
[[nodiscard]] bool isIdentical(const std::vector<Entry>& a, const std::vector<Entry>& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (size_t index = 0; index < a.size(); ++index) {
        if (!isIdentical(a[index], b[index])) {
            return false;
        }
    }
    return true;
}

}  // namespace lowtide::ui
