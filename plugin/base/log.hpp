#pragma once

#include <cstdint>
#include <string_view>

namespace lowtide {

enum class Level : uint8_t { Debug, Info, Warning, Error };

/// One line to the log (standard error). Debug lines appear after setLogLevel(Level::Debug) only.
void log(Level level, std::string_view text);
/// Lines below `level` are dropped; Warning at the start.
void setLogLevel(Level level);

}  // namespace lowtide
