#include "plugin/module/date.hpp"

#include "plugin/base/text.hpp"

#include <chrono>

namespace lowtide::module {

std::string today() {
    const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day day(now);
    return zeroPadded(static_cast<uint64_t>(static_cast<int>(day.year())), 4) + "-" +
           zeroPadded(static_cast<unsigned>(day.month()), 2) + "-" +
           zeroPadded(static_cast<unsigned>(day.day()), 2);
}

}  // namespace lowtide::module
