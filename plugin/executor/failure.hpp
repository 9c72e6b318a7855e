#pragma once

#include "plugin/host_api/host.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::executor {

/// Runs `action` and turns what it throws into an issue pinned to `node`: lowtide::Error by its
/// kind, anything else internal_error with its first line. The one place of the executor that
/// catches; nothing is held by an exception any more when it returns.
[[nodiscard]] std::optional<Issue> attempt(std::string_view node,
                                           const std::function<void()>& action);

/// Whether the issue is the end of a cancelled run.
[[nodiscard]] bool isCancel(const Issue& issue);

/// An issue about our own bug in a node.
[[nodiscard]] Issue nodeBug(std::string_view node, std::string_view item, std::string message);

}  // namespace lowtide::executor
