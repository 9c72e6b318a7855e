#pragma once

#include <cstddef>
#include <cstdint>

namespace lowtide::models {

/// Places of the characters that single-byte encodings make of UTF-8, for tables of them; all
/// others share the last place.
constexpr size_t kMojibakePlaces = 0x500 + 0x600 + 5;

[[nodiscard]] constexpr size_t mojibakePlace(char32_t code) {
    constexpr size_t kHigh = 0x500 + 0x600;
    if (code < 0x500) {
        return code;
    }
    if (code >= 0x2000 && code < 0x2600) {
        return 0x500 + (code - 0x2000);
    }
    switch (code) {
        case 0xF8FF:
            return kHigh;
        case 0xFB01:
            return kHigh + 1;
        case 0xFB02:
            return kHigh + 2;
        case 0xFFFD:
            return kHigh + 3;
        default:
            return kMojibakePlaces - 1;
    }
}

}  // namespace lowtide::models
