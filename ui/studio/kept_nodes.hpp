#pragma once

#include "plugin/host_api/host.hpp"

#include <QString>

#include <span>
#include <vector>

namespace lowtide::ui {

/// Keeps the descriptions that the module gave, so that graphs can be edited when it does not start
/// another time. A file that cannot be written is no trouble: they are kept at the next start.
void keepNodes(const QString& path, std::span<const NodeDesc> nodes);
/// What keepNodes() wrote; empty where there is nothing that can be read.
[[nodiscard]] std::vector<NodeDesc> keptNodes(const QString& path);

}  // namespace lowtide::ui
