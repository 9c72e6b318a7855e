#pragma once

#include <cstdint>
#include <string_view>

namespace lowtide {

enum class Level : uint8_t { Debug, Info, Warning, Error };

/// Receives lines of a log. Called from any thread, one line at a time; must only enqueue.
class LogReader {
public:
    virtual ~LogReader() = default;
    /// `milliseconds` since 1970, when it was written.
    virtual void line(Level level, int64_t milliseconds, std::string_view text) noexcept = 0;
};

/// The log of a program or of the module (Plugin::log). Any thread.
class LogSource {
public:
    virtual ~LogSource() = default;
    /// Hands `reader` the newest lines that were written already, then every line, of every level:
    /// the level of the start's "log" holds for standard error only.
    virtual void add(LogReader& reader) noexcept = 0;
    /// When it returns, `reader` is not called any more.
    virtual void remove(LogReader& reader) noexcept = 0;
};

}  // namespace lowtide
