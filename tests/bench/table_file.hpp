#pragma once

#include "plugin/base/json_fwd.hpp"

#include <QString>

namespace lowtide::testing {

/// Writes build/<name>.json, what a bench measured, and prints where; std::runtime_error when it
/// cannot be.
void writeTable(const QString& name, const Json& table);

}  // namespace lowtide::testing
