#include "plugin/image/canvas.hpp"

#include "plugin/base/error.hpp"
#include "plugin/image/glyphs.hpp"

#include <algorithm>
#include <memory>

namespace lowtide::image {

namespace {

constexpr size_t kChannels = 3;

Colour colourAt(const Image8& picture, int x, int y) {
    const auto place =
        static_cast<size_t>(y) * static_cast<size_t>(picture.widthPixels) + static_cast<size_t>(x);
    const uint8_t* pixel = picture.pixels.get() + place * static_cast<size_t>(picture.channels);
    return picture.channels == 1 ? Colour{pixel[0], pixel[0], pixel[0]}
                                 : Colour{pixel[0], pixel[1], pixel[2]};
}

/// Bytes that begin a character of UTF-8.
bool begins(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

/// Bytes of the first `columns` characters.
size_t bytesOf(std::string_view text, size_t columns) {
    size_t end = 0;
    for (size_t count = 0; end < text.size(); ++end) {
        if (begins(text[end]) && count++ == columns) {
            break;
        }
    }
    return end;
}

}  // namespace

Canvas::Canvas(int widthPixels, int heightPixels, Colour background)
    : widthPixels_(widthPixels),
      heightPixels_(heightPixels),
      pixels_(static_cast<size_t>(widthPixels) * static_cast<size_t>(heightPixels) * kChannels) {
    LOWTIDE_ASSERT(widthPixels > 0 && heightPixels > 0);
    fill({0, 0, widthPixels, heightPixels}, background);
}

void Canvas::fill(const Box& box, Colour colour) {
    const int left = std::max(box.xPixels, 0);
    const int right = std::min(box.xPixels + box.widthPixels, widthPixels_);
    const int bottom = std::min(box.yPixels + box.heightPixels, heightPixels_);
    for (int y = std::max(box.yPixels, 0); y < bottom; ++y) {
        const size_t row = static_cast<size_t>(y) * static_cast<size_t>(widthPixels_);
        for (int x = left; x < right; ++x) {
            uint8_t* pixel = pixels_.data() + kChannels * (row + static_cast<size_t>(x));
            pixel[0] = colour.red;
            pixel[1] = colour.green;
            pixel[2] = colour.blue;
        }
    }
}

void Canvas::draw(const Image8& picture, int xPixels, int yPixels, int scale) {
    for (int y = 0; y < picture.heightPixels; ++y) {
        for (int x = 0; x < picture.widthPixels; ++x) {
            fill({xPixels + x * scale, yPixels + y * scale, scale, scale}, colourAt(picture, x, y));
        }
    }
}

void Canvas::write(std::string_view text, int xPixels, int yPixels, Colour colour, int scale) {
    for (const char code : shownAsLatin1(text)) {
        const auto rows = glyphOf(static_cast<unsigned char>(code));
        for (int y = 0; y < kGlyphHeight; ++y) {
            for (int x = 0; x < kGlyphWidth; ++x) {
                if ((rows[static_cast<size_t>(y)] >> (kGlyphWidth - 1 - x) & 1) != 0) {
                    fill({xPixels + x * scale, yPixels + y * scale, scale, scale}, colour);
                }
            }
        }
        xPixels += kGlyphWidth * scale;
    }
}

Image8 Canvas::picture() const {
    const auto pixels = std::make_shared<uint8_t[]>(pixels_.size());
    std::copy(pixels_.begin(), pixels_.end(), pixels.get());
    return {.widthPixels = widthPixels_,
            .heightPixels = heightPixels_,
            .channels = static_cast<int>(kChannels),
            .pixels = pixels};
}

std::vector<std::string> wrapped(std::string_view text, size_t columns) {
    LOWTIDE_ASSERT(columns > 0);
    std::vector<std::string> lines;
    while (bytesOf(text, columns) < text.size()) {
        const size_t most = bytesOf(text, columns);
        const size_t space = text.rfind(' ', most);
        const bool breaks = space != std::string_view::npos && space > 0;
        lines.emplace_back(text.substr(0, breaks ? space : most));
        text.remove_prefix(breaks ? space + 1 : most);
    }
    lines.emplace_back(text);
    return lines;
}

}  // namespace lowtide::image
