#pragma once

#include "plugin/host_api/log_source.hpp"

#include <string_view>

namespace lowtide {

/// One line to the log: standard error, and who reads logSource(). On standard error debug lines
/// appear after setLogLevel(Level::Debug) only.
void log(Level level, std::string_view text);
/// Lines below `level` do not appear on standard error; Warning at the start.
void setLogLevel(Level level);
/// The lines of this program, or of this module: each has a log of its own.
[[nodiscard]] LogSource& logSource();

}  // namespace lowtide
