#include "plugin/image/orientation.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::image {

namespace {

constexpr int kFirstTurned = 5;  ///< from here on width and height are changed

/// Where the pixel at the upper left is stored, and how far the next ones lie from it.
struct Walk {
    ptrdiff_t first = 0;
    ptrdiff_t right = 0;
    ptrdiff_t down = 0;
};

/// In pixels of a stored picture.
Walk walkFor(ptrdiff_t width, ptrdiff_t height, int orientation) {
    const ptrdiff_t lastColumn = width - 1;
    const ptrdiff_t lastRow = (height - 1) * width;
    switch (orientation) {
        case 2:
            return {.first = lastColumn, .right = -1, .down = width};
        case 3:
            return {.first = lastRow + lastColumn, .right = -1, .down = -width};
        case 4:
            return {.first = lastRow, .right = 1, .down = -width};
        case 5:
            return {.first = 0, .right = width, .down = 1};
        case 6:
            return {.first = lastRow, .right = -width, .down = 1};
        case 7:
            return {.first = lastRow + lastColumn, .right = -width, .down = -1};
        case 8:
            return {.first = lastColumn, .right = width, .down = -1};
        default:
            return {.first = 0, .right = 1, .down = width};
    }
}

template <class Picture, class Level>
Picture turned(const Picture& stored, int orientation) {
    if (orientation == 1) {
        return stored;
    }
    Picture seen = stored;
    if (orientation >= kFirstTurned) {
        std::swap(seen.widthPixels, seen.heightPixels);
    }
    const auto channels = static_cast<size_t>(stored.channels);
    const size_t count = static_cast<size_t>(stored.widthPixels) *
                         static_cast<size_t>(stored.heightPixels) * channels;
    auto pixels = std::make_shared_for_overwrite<Level[]>(count);
    const Walk walk = walkFor(stored.widthPixels, stored.heightPixels, orientation);
    Level* target = pixels.get();
    for (int row = 0; row < seen.heightPixels; ++row) {
        ptrdiff_t from = walk.first + row * walk.down;
        for (int column = 0; column < seen.widthPixels; ++column, from += walk.right) {
            target = std::copy_n(
                stored.pixels.get() + static_cast<size_t>(from) * channels, channels, target);
        }
    }
    seen.pixels = std::move(pixels);
    return seen;
}

}  // namespace

Image8 oriented(const Image8& picture, int orientation) {
    return turned<Image8, uint8_t>(picture, orientation);
}

Image16 oriented(const Image16& picture, int orientation) {
    return turned<Image16, uint16_t>(picture, orientation);
}

PictureSize oriented(const PictureSize& size, int orientation) {
    return orientation < kFirstTurned
               ? size
               : PictureSize{.widthPixels = size.heightPixels, .heightPixels = size.widthPixels};
}

}  // namespace lowtide::image
