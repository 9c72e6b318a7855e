#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

namespace lowtide::ui {

/// What a report says of versions, machine and desktop. `plugin`: nullptr where none runs;
/// `devices` as the module lists them. Any thread but for `devices`.
[[nodiscard]] Json systemFacts(const Plugin* plugin, const Json& devices);

}  // namespace lowtide::ui
