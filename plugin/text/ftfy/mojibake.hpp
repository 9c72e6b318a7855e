#pragma once
// A text whose UTF-8 was read in a wrong encoding, as it was meant; within an effort that grows
// with its length alone.

#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide::models {

/// How many characters may be looked at once more. Repairing is repeated until nothing changes, and
/// texts can be made in which every round repairs one character ("&amp;amp;amp;..."): one of a
/// thousand characters has four thousand rounds, one of a million eight.
class Effort {
public:
    explicit Effort(size_t characters) : left_(kLeast + kRounds * characters) {}

    /// Whether a text of so many characters may be looked at again.
    [[nodiscard]] bool takes(size_t characters) {
        const size_t cost = characters + kEachTime;
        const bool isLeft = cost <= left_;
        left_ -= isLeft ? cost : left_;
        return isLeft;
    }

private:
    static constexpr size_t kLeast = size_t{1} << 22;
    static constexpr size_t kRounds = 4;
    static constexpr size_t kEachTime = 16;

    size_t left_;
};

/// A text whose UTF-8 was read in a wrong encoding, once or several times, all of it or parts, as
/// it was meant: "schÃ¶n" becomes "schön". Others are as they were. Source: ftfy 6.3.1,
/// fix_encoding with its defaults.
[[nodiscard]] std::u32string withoutMojibake(std::u32string_view text, Effort& effort);

/// Whether `text` has characters in a row that a wrong encoding makes and hardly anyone writes, as
/// accented letters before signs of currencies. Source: ftfy 6.3.1, badness.py.
[[nodiscard]] bool looksGarbled(std::u32string_view text);

/// Characters in a row that are UTF-8's bytes in encodings like Latin-1, mixed ones too.
struct GarbledPart {
    size_t begin = 0;
    size_t end = 0;  ///< as begin: there is none
};

/// The first from `from` on; at the end of `text`: there is none. Source: ftfy 6.3.1,
/// UTF8_DETECTOR_RE of chardata.py.
[[nodiscard]] GarbledPart nextGarbledPart(std::u32string_view text, size_t from);

}  // namespace lowtide::models
