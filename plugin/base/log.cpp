#include "plugin/base/log.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <string>
#include <vector>

namespace lowtide {

namespace {

/// For readers that come later.
constexpr size_t kKeptLines = 256;
constexpr size_t kLongestKept = 4096;

spdlog::level::level_enum levelOf(Level level) {
    switch (level) {
        case Level::Debug:
            return spdlog::level::debug;
        case Level::Info:
            return spdlog::level::info;
        case Level::Warning:
            return spdlog::level::warn;
        case Level::Error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

Level levelFrom(spdlog::level::level_enum level) {
    return level >= spdlog::level::err    ? Level::Error
           : level == spdlog::level::warn ? Level::Warning
           : level == spdlog::level::info ? Level::Info
                                          : Level::Debug;
}

/// Hands lines to readers, and keeps the newest ones.
class ReaderSink final : public spdlog::sinks::base_sink<std::mutex>, public LogSource {
public:
    void add(LogReader& reader) noexcept override {
        const std::lock_guard lock(mutex_);
        for (const Kept& kept : kept_) {
            reader.line(kept.level, kept.milliseconds, kept.text);
        }
        readers_.push_back(&reader);
    }

    void remove(LogReader& reader) noexcept override {
        const std::lock_guard lock(mutex_);
        readers_.erase(std::remove(readers_.begin(), readers_.end(), &reader), readers_.end());
    }

private:
    struct Kept {
        Level level;
        int64_t milliseconds;
        std::string text;
    };

    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string_view text(message.payload.data(), message.payload.size());
        const Level level = levelFrom(message.level);
        const int64_t time =
            std::chrono::duration_cast<std::chrono::milliseconds>(message.time.time_since_epoch())
                .count();
        if (kept_.size() == kKeptLines) {
            kept_.pop_front();
        }
        kept_.push_back({level, time, std::string(text.substr(0, kLongestKept))});
        for (LogReader* reader : readers_) {
            reader->line(level, time, text);
        }
    }

    void flush_() override {}

    std::deque<Kept> kept_;
    std::vector<LogReader*> readers_;
};

struct Log {
    std::shared_ptr<spdlog::sinks::stderr_color_sink_mt> screen =
        std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    std::shared_ptr<ReaderSink> readers = std::make_shared<ReaderSink>();
    spdlog::logger logger{"lowtide", {screen, readers}};

    Log() {
        screen->set_pattern("%H:%M:%S %^%l%$ %v");
        screen->set_level(spdlog::level::warn);
        logger.set_level(spdlog::level::debug);
    }
};

/// A host's own default logger is not touched. Never destroyed: other threads may still log while
/// the process ends.
Log& theLog() {
    static Log& instance = *new Log();
    return instance;
}

}  // namespace

void log(Level level, std::string_view text) {
    theLog().logger.log(levelOf(level), spdlog::string_view_t(text.data(), text.size()));
}

void setLogLevel(Level level) {
    theLog().screen->set_level(levelOf(level));
}

LogSource& logSource() {
    return *theLog().readers;
}

}  // namespace lowtide
