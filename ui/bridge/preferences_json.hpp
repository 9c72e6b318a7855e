#pragma once

#include "ui/bridge/settings.hpp"

namespace lowtide::ui {

/// The preferences that a settings file states. A value of a wrong shape, or one that is not among
/// its choices, stays as it is at first; its key is put into `refused`.
[[nodiscard]] Preferences preferencesFrom(const Json& json, QStringList* refused);
/// Puts them into the object, beside what else it holds.
void putPreferences(const Preferences& preferences, Json& json);

}  // namespace lowtide::ui
