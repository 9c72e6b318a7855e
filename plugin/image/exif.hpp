#pragma once
// EXIF: orientation and texts in the bytes of a TIFF file, and the encodings of its texts.

#include "plugin/image/image_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::image {

/// The UTF-8 text of Latin-1 bytes; every byte sequence is valid Latin-1.
[[nodiscard]] std::string utf8FromLatin1(std::string_view bytes);
/// The Latin-1 bytes of a valid UTF-8 text; empty when it has a character that Latin-1 lacks.
[[nodiscard]] std::optional<std::string> latin1FromUtf8(std::string_view text);

struct Exif {
    int orientation = 1;
    std::vector<ImageText> texts{};
};

/// Orientation and texts of EXIF (the bytes of a TIFF file): UserComment as "parameters",
/// as A1111 writes it, and "key:text" in ImageDescription, Make, Model and DocumentName, as ComfyUI
/// writes them. What is damaged is left out; texts are UTF-8. Source: CIPA DC-008 (Exif 2.32).
[[nodiscard]] Exif readExif(std::string_view bytes);

/// The same the other way round: "parameters" becomes UserComment (UTF-16), up to four others
/// "key:text". Errors: Error{InvalidInput} for a key that is no identifier or comes twice, for a
/// text that is not UTF-8, is empty or holds a NUL, for more of them, and beyond 32 MiB.
[[nodiscard]] std::string writeExif(const std::vector<ImageText>& texts);

}  // namespace lowtide::image
