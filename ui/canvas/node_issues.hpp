#pragma once

#include "plugin/base/issue.hpp"
#include "ui/canvas/node_face.hpp"

#include <QString>

#include <map>
#include <optional>
#include <string>

namespace lowtide::ui {

/// The worst that is said of a node, and of each port and row of it that is shown.
struct NodeIssues {
    std::optional<Severity> worst;
    std::map<std::string, Severity> items;

    [[nodiscard]] std::optional<Severity> of(const std::string& item) const;
};

/// Mere information is no badge.
[[nodiscard]] NodeIssues issuesOf(const Issues& issues);

/// The sentences about one port or row, or (empty item) about the whole node, for a tooltip.
[[nodiscard]] QString issueText(const Issues& issues, const std::string& item);

}  // namespace lowtide::ui
