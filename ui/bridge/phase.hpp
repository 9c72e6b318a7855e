#pragma once

#include "plugin/base/json_fwd.hpp"

#include <QString>

#include <optional>

namespace lowtide::ui {

/// Of an event nodeProgress: "step 3 of 20", as the node calls its units.
[[nodiscard]] QString phaseText(const Json& event);
/// Of the same, until the phase ends; empty: the node does not say.
[[nodiscard]] std::optional<double> secondsLeftIn(const Json& event);

}  // namespace lowtide::ui
