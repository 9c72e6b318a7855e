#include "plugin/image/icc_name.hpp"

#include "plugin/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lowtide::image {

namespace {

constexpr size_t kTagTableAt = 128;
constexpr size_t kTagBytes = 12;
constexpr size_t kMostTags = 256;
constexpr size_t kLongestName = 80;
constexpr size_t kLocalizedRecordBytes = 12;

/// 0 beyond the end.
size_t numberAt(std::string_view bytes, size_t at) {
    size_t number = 0;
    for (size_t i = 0; i < 4; ++i) {
        number = number << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0);
    }
    return number;
}

std::string_view piece(std::string_view bytes, size_t at, size_t count) {
    return at < bytes.size() ? bytes.substr(at, count) : std::string_view();
}

/// What can be printed of ASCII; every second byte only where the text is UTF-16.
std::string printable(std::string_view bytes, bool isWide) {
    std::string text;
    for (size_t i = isWide ? 1 : 0; i < bytes.size() && text.size() < kLongestName;
         i += isWide ? 2 : 1) {
        if (bytes[i] >= ' ' && bytes[i] <= '~') {
            text += bytes[i];
        }
    }
    return trim(text);
}

std::string nameInTag(std::string_view tag) {
    if (tag.starts_with("desc")) {
        return printable(piece(tag, 12, numberAt(tag, 8)), false);
    }
    if (tag.starts_with("mluc") && numberAt(tag, 12) == kLocalizedRecordBytes) {
        return printable(piece(tag, numberAt(tag, 24), numberAt(tag, 20)), true);
    }
    return {};
}

}  // namespace

std::string iccName(std::string_view profile) {
    const size_t count = std::min(numberAt(profile, kTagTableAt), kMostTags);
    for (size_t i = 0; i < count; ++i) {
        const size_t at = kTagTableAt + 4 + i * kTagBytes;
        if (piece(profile, at, 4) == "desc") {
            const std::string name =
                nameInTag(piece(profile, numberAt(profile, at + 4), numberAt(profile, at + 8)));
            if (!name.empty()) {
                return name;
            }
        }
    }
    return "unnamed";
}

bool isSrgbName(std::string_view name) {
    // "c2" and "uRGB" are small profiles with sRGB's values that web sites put into pictures.
    constexpr std::array<std::string_view, 2> kWhole = {"c2", "urgb"};
    const std::string lower = toLower(name);
    return lower.find("srgb") != std::string::npos || lower.find("iec61966") != std::string::npos ||
           std::ranges::find(kWhole, lower) != kWhole.end();
}

}  // namespace lowtide::image
