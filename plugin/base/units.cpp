#include "plugin/base/units.hpp"

#include "plugin/base/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace lowtide {

std::optional<Bytes> parseBytes(std::string_view text) {
    const std::string trimmed = trim(text);
    double number = 0;
    const char* end = trimmed.data() + trimmed.size();
    const auto [rest, failure] = std::from_chars(trimmed.data(), end, number);
    if (failure != std::errc() || !std::isfinite(number) || number < 0) {
        return std::nullopt;
    }
    const std::string unit = toLower(trim(std::string_view(rest, static_cast<size_t>(end - rest))));
    double factor = 0;
    if (unit.empty() || unit == "b") {
        factor = 1;
    } else if (unit == "k" || unit == "kib" || unit == "kb") {
        factor = static_cast<double>(kKiB);
    } else if (unit == "m" || unit == "mib" || unit == "mb") {
        factor = static_cast<double>(kMiB);
    } else if (unit == "g" || unit == "gib" || unit == "gb") {
        factor = static_cast<double>(kGiB);
    } else if (unit == "t" || unit == "tib" || unit == "tb") {
        factor = static_cast<double>(kGiB) * 1024;
    }
    const double bytes = number * factor;
    if (factor == 0 || bytes > 9e18) {
        return std::nullopt;
    }
    return static_cast<Bytes>(bytes);
}

std::string formatBytes(Bytes bytes) {
    constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    // 1023.95 KiB would be shown as 1024.0 KiB: that is 1.0 MiB.
    while (std::abs(value) >= (unit == 0 ? 1024.0 : 1023.95) && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
    return text.data();
}

}  // namespace lowtide
