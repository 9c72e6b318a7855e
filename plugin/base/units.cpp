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

namespace {

struct Row {
    DType type;
    std::string_view name;
    Bytes size;
    bool floating;
};

constexpr std::array<Row, 13> kRows = {{
    {DType::F64, "F64", 8, true},
    {DType::F32, "F32", 4, true},
    {DType::F16, "F16", 2, true},
    {DType::BF16, "BF16", 2, true},
    {DType::F8E4M3, "F8_E4M3", 1, true},
    {DType::F8E5M2, "F8_E5M2", 1, true},
    {DType::F8E8M0, "F8_E8M0", 1, false},
    {DType::I64, "I64", 8, false},
    {DType::I32, "I32", 4, false},
    {DType::I16, "I16", 2, false},
    {DType::I8, "I8", 1, false},
    {DType::U8, "U8", 1, false},
    {DType::Bool, "BOOL", 1, false},
}};

constexpr const Row& rowOf(DType type) {
    return kRows[static_cast<size_t>(type)];
}

}  // namespace

Bytes sizeOf(DType type) noexcept {
    return rowOf(type).size;
}

std::string_view nameOf(DType type) noexcept {
    return rowOf(type).name;
}

std::optional<DType> dtypeFromName(std::string_view name) noexcept {
    for (const Row& row : kRows) {
        if (row.name == name) {
            return row.type;
        }
    }
    return std::nullopt;
}

bool isFloating(DType type) noexcept {
    return rowOf(type).floating;
}

std::optional<int64_t> elementCount(std::span<const int64_t> shape) noexcept {
    int64_t count = 1;
    for (const int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(count, size, &count)) {
            return std::nullopt;
        }
    }
    return count;
}

std::string toText(std::span<const int64_t> shape) {
    std::string text = "[";
    for (const int64_t size : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    }
    return text + "]";
}

}  // namespace lowtide
