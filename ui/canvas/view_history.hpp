#pragma once

#include "ui/document/edits.hpp"

#include <optional>
#include <vector>

namespace lowtide::ui {

/// Views from which a person jumped elsewhere, for the ways back and on again.
class ViewHistory {
public:
    /// The view is about to jump away from `now`; what lay ahead is forgotten.
    void leave(const ViewPlace& now);
    /// The view before the last jump; nothing: there is none.
    [[nodiscard]] std::optional<ViewPlace> back(const ViewPlace& now);
    /// The view from which back() went; nothing: there is none.
    [[nodiscard]] std::optional<ViewPlace> forward(const ViewPlace& now);
    void clear();

private:
    std::vector<ViewPlace> before_;
    std::vector<ViewPlace> ahead_;
};

}  // namespace lowtide::ui
