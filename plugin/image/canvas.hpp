#pragma once
// An image that is drawn piece by piece: boxes, images and letters.

#include "plugin/host_api/host.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::image {

inline constexpr int kGlyphWidth = 7;
inline constexpr int kGlyphHeight = 13;

/// The rows of a character from the top, in each the left pixel in bit 6. `code` is of Latin-1;
/// what cannot be shown is a question mark. Source: X11's misc-fixed 7x13, in the public domain.
[[nodiscard]] std::span<const char, kGlyphHeight> glyphOf(unsigned char code);

/// One byte of Latin-1 for each character of a UTF-8 text, "?" for those that it lacks.
[[nodiscard]] std::string shownAsLatin1(std::string_view text);

struct Colour {
    uint8_t red = 0;
    uint8_t green = 0;
    uint8_t blue = 0;
};

/// A rectangle of a canvas.
struct Box {
    int xPixels = 0;
    int yPixels = 0;
    int widthPixels = 0;
    int heightPixels = 0;
};

/// An image of three channels that is drawn piece by piece; what lies outside is cut off.
class Canvas {
public:
    /// Both sides are positive.
    Canvas(int widthPixels, int heightPixels, Colour background);

    void fill(const Box& box, Colour colour);
    /// Every pixel becomes a square of `scale` pixels. Grey and alpha become colour, without
    /// transparency.
    void draw(const Image8& image, int xPixels, int yPixels, int scale);
    /// One line of UTF-8 text with its upper left corner there, `scale` times the size of a glyph
    /// (glyphs.hpp).
    void write(std::string_view text, int xPixels, int yPixels, Colour colour, int scale);

    [[nodiscard]] Image8 image() const;

private:
    int widthPixels_;
    int heightPixels_;
    std::vector<uint8_t> pixels_;
};

/// The text in lines of at most `columns` characters, broken at spaces where that is possible.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, size_t columns);

}  // namespace lowtide::image
