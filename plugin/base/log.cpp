#include "plugin/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace lowtide {

namespace {

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

/// spdlog's registry owns the logger; a host's own default logger is not touched.
std::shared_ptr<spdlog::logger> logger() {
    static const std::shared_ptr<spdlog::logger> instance = [] {
        auto made = std::make_shared<spdlog::logger>(
            "lowtide", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        made->set_pattern("%H:%M:%S %^%l%$ %v");
        made->set_level(spdlog::level::warn);
        return made;
    }();
    return instance;
}

}  // namespace

void log(Level level, std::string_view text) {
    logger()->log(levelOf(level), spdlog::string_view_t(text.data(), text.size()));
}

void setLogLevel(Level level) {
    logger()->set_level(levelOf(level));
}

}  // namespace lowtide
