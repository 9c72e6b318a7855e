#pragma once

#include "plugin/host_api/host.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::image {

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

/// A picture of three channels that is drawn piece by piece; what lies outside is cut off.
class Canvas {
public:
    /// Both sides are positive.
    Canvas(int widthPixels, int heightPixels, Colour background);

    void fill(const Box& box, Colour colour);
    /// Every pixel becomes a square of `scale` pixels. Grey and alpha become colour, without
    /// transparency.
    void draw(const Image8& picture, int xPixels, int yPixels, int scale);
    /// One line of UTF-8 text with its upper left corner there, `scale` times the size of a glyph
    /// (glyphs.hpp).
    void write(std::string_view text, int xPixels, int yPixels, Colour colour, int scale);

    [[nodiscard]] Image8 picture() const;

private:
    int widthPixels_;
    int heightPixels_;
    std::vector<uint8_t> pixels_;
};

/// The text in lines of at most `columns` characters, broken at spaces where that is possible.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, size_t columns);

}  // namespace lowtide::image
