#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// Encodings that UTF-8 is mistaken for. Those of Windows are read as browsers do: a byte without a
/// character is the one of its number.
enum class SingleByteEncoding {
    Latin1,
    Windows1252,
    Windows1251,
    Windows1250,
    Windows1253,
    Windows1254,
    Windows1257,
    Iso8859Part2,
    MacRoman,
    CodePage437,
};

/// The byte of U+FFFD in the encodings of Windows: what was lost on the way.
constexpr char kLostByte = '\x1A';

/// In the order in which they are tried. Source: ftfy 6.3.1, chardata.py, sloppy.py.
constexpr std::array<SingleByteEncoding, 10> kSingleByteEncodings = {
    SingleByteEncoding::Latin1,
    SingleByteEncoding::Windows1252,
    SingleByteEncoding::Windows1251,
    SingleByteEncoding::Windows1250,
    SingleByteEncoding::Windows1253,
    SingleByteEncoding::Windows1254,
    SingleByteEncoding::Windows1257,
    SingleByteEncoding::Iso8859Part2,
    SingleByteEncoding::MacRoman,
    SingleByteEncoding::CodePage437};

[[nodiscard]] constexpr bool isOfWindows(SingleByteEncoding encoding) {
    return encoding >= SingleByteEncoding::Windows1252 &&
           encoding <= SingleByteEncoding::Windows1257;
}

/// The bytes of `text`; nothing: the encoding lacks one of its characters.
[[nodiscard]] std::optional<std::string> singleBytes(std::u32string_view text,
                                                     SingleByteEncoding encoding);
/// `code`, or what Windows-1252 has in the place of a control character of Latin-1.
[[nodiscard]] char32_t withoutControl(char32_t code);

}  // namespace lowtide::models
