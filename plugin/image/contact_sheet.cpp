#include "plugin/image/contact_sheet.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/canvas.hpp"
#include "plugin/image/image_difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace lowtide::image {

namespace {

constexpr Colour kBackground{30, 30, 34};
constexpr Colour kEmpty{52, 52, 58};
constexpr Colour kText{232, 232, 232};
/// Narrower images are enlarged towards it.
constexpr int kUsualWidth = 256;
/// Of text, so that figures stand on one line.
constexpr int kLeastColumns = 34;
/// A cell that is so many pixels wider has letters twice as large.
constexpr int kWidthPerTextScale = 512;
constexpr double kMostPixels = 1 << 26;

/// Every factor x factor square becomes its mean; a rest at the right and at the bottom is left
/// out.
Image8 shrunk(const Image8& image, int factor) {
    if (factor == 1) {
        return image;
    }
    const int width = std::max(image.widthPixels / factor, 1);
    const int height = std::max(image.heightPixels / factor, 1);
    const int channels = image.channels;
    const auto pixels = std::make_shared<uint8_t[]>(static_cast<size_t>(width) *
                                                    static_cast<size_t>(height * channels));
    const int across = image.widthPixels / width;
    const int down = image.heightPixels / height;
    size_t next = 0;
    for (int i = 0; i < width * height * channels; ++i) {
        const int x = i / channels % width * across;
        const int y = i / channels / width * down;
        int sum = 0;
        for (int k = 0; k < across * down; ++k) {
            const int index = (y + k / across) * image.widthPixels + x + k % across;
            sum += image.pixels[static_cast<size_t>(index * channels + i % channels)];
        }
        pixels[next++] = static_cast<uint8_t>((sum + across * down / 2) / (across * down));
    }
    return {.widthPixels = width, .heightPixels = height, .channels = channels, .pixels = pixels};
}

struct Sizes {
    int shrink = 1;
    int enlarge = 1;
    int text = 1;
    int gap = 8;
    int cellWidth = 0;
    int imagesHeight = 0;
    int cellHeight = 0;

    [[nodiscard]] int lineHeight() const { return (kGlyphHeight + 2) * text; }

    [[nodiscard]] size_t textColumns() const {
        return static_cast<size_t>(cellWidth / (kGlyphWidth * text));
    }
};

int widthOf(const SheetCell& cell, const Sizes& sizes) {
    int width = 0;
    for (const Image8& image : cell.images) {
        width += (width > 0 ? sizes.gap : 0) +
                 std::max(image.widthPixels / sizes.shrink, 1) * sizes.enlarge;
    }
    return width;
}

int heightOf(const SheetCell& cell, const Sizes& sizes) {
    int height = 0;
    for (const Image8& image : cell.images) {
        height = std::max(height, std::max(image.heightPixels / sizes.shrink, 1) * sizes.enlarge);
    }
    return height;
}

std::vector<std::string> linesOf(const SheetCell& cell, const Sizes& sizes) {
    std::vector<std::string> lines;
    for (const std::string& line : cell.lines) {
        std::ranges::move(wrapped(line, sizes.textColumns()), std::back_inserter(lines));
    }
    return lines;
}

/// Whole factors that bring images to a usual size and keep the sheet within its limit.
Sizes factorsOf(const ContactSheet& sheet) {
    Sizes sizes;
    int widest = 0;
    double pixels = 0;
    for (const SheetCell& cell : sheet.cells) {
        for (const Image8& image : cell.images) {
            widest = std::max(widest, image.widthPixels);
            pixels += static_cast<double>(image.widthPixels) * image.heightPixels;
        }
    }
    sizes.enlarge = widest > 0 ? std::max(kUsualWidth / widest, 1) : 1;
    sizes.shrink = std::max(static_cast<int>(std::ceil(std::sqrt(pixels / kMostPixels))), 1);
    return sizes;
}

Sizes sizesOf(const ContactSheet& sheet) {
    Sizes sizes = factorsOf(sheet);
    for (const SheetCell& cell : sheet.cells) {
        sizes.cellWidth = std::max(sizes.cellWidth, widthOf(cell, sizes));
        sizes.imagesHeight = std::max(sizes.imagesHeight, heightOf(cell, sizes));
    }
    sizes.text = 1 + sizes.cellWidth / kWidthPerTextScale;
    sizes.cellWidth = std::max(sizes.cellWidth, kLeastColumns * kGlyphWidth * sizes.text);
    size_t lines = 0;
    for (const SheetCell& cell : sheet.cells) {
        lines = std::max(lines, linesOf(cell, sizes).size());
    }
    sizes.cellHeight =
        sizes.imagesHeight + sizes.gap + static_cast<int>(lines) * sizes.lineHeight();
    return sizes;
}

void drawCell(Canvas& canvas, const SheetCell& cell, const Sizes& sizes, int x, int y) {
    int left = x;
    for (const Image8& image : cell.images) {
        const Image8 shown = shrunk(image, sizes.shrink);
        canvas.draw(shown, left, y, sizes.enlarge);
        left += shown.widthPixels * sizes.enlarge + sizes.gap;
    }
    if (cell.images.empty() && !cell.lines.empty()) {
        canvas.fill({x, y, sizes.cellWidth, sizes.imagesHeight}, kEmpty);
    }
    int top = y + sizes.imagesHeight + sizes.gap / 2;
    for (const std::string& line : linesOf(cell, sizes)) {
        canvas.write(line, x, top, kText, sizes.text);
        top += sizes.lineHeight();
    }
}

}  // namespace

Image8 drawContactSheet(const ContactSheet& sheet) {
    if (sheet.cells.empty() || sheet.columns == 0) {
        throw Error(ErrorKind::InvalidInput, message("a contact sheet needs at least one cell"));
    }
    const Sizes sizes = sizesOf(sheet);
    const auto columns = static_cast<int>(std::min(sheet.columns, sheet.cells.size()));
    const auto rows = (static_cast<int>(sheet.cells.size()) + columns - 1) / columns;
    int width = sizes.gap + columns * (sizes.cellWidth + sizes.gap);
    const auto titleColumns =
        static_cast<size_t>((width - 2 * sizes.gap) / (kGlyphWidth * sizes.text));
    const std::vector<std::string> title = wrapped(sheet.title, titleColumns);
    const int top = 2 * sizes.gap + static_cast<int>(title.size()) * sizes.lineHeight();
    int height = top + rows * (sizes.cellHeight + sizes.gap);
    for (const Image8& footer : sheet.footers) {
        width = std::max(width, footer.widthPixels + 2 * sizes.gap);
        height += footer.heightPixels + sizes.gap;
    }
    Canvas canvas(width, height, kBackground);
    for (size_t i = 0; i < title.size(); ++i) {
        canvas.write(title[i],
                     sizes.gap,
                     sizes.gap + static_cast<int>(i) * sizes.lineHeight(),
                     kText,
                     sizes.text);
    }
    for (int i = 0; i < static_cast<int>(sheet.cells.size()); ++i) {
        drawCell(canvas,
                 sheet.cells[static_cast<size_t>(i)],
                 sizes,
                 sizes.gap + i % columns * (sizes.cellWidth + sizes.gap),
                 top + i / columns * (sizes.cellHeight + sizes.gap));
    }
    int below = top + rows * (sizes.cellHeight + sizes.gap);
    for (const Image8& footer : sheet.footers) {
        canvas.draw(footer, sizes.gap, below, 1);
        below += footer.heightPixels + sizes.gap;
    }
    return canvas.image();
}

namespace {

/// Five colours of matplotlib's inferno (CC0): lightness rises evenly.
constexpr std::array<std::array<double, 3>, 5> kStops = {
    {{0, 0, 4}, {87, 16, 110}, {188, 55, 84}, {249, 142, 9}, {252, 255, 164}}};

Colour heatOf(double difference) {
    const double index =
        std::clamp(difference / kHottestDifference, 0.0, 1.0) * (kStops.size() - 1);
    const size_t stop = std::min(static_cast<size_t>(index), kStops.size() - 2);
    const double fraction = index - static_cast<double>(stop);
    const auto channel = [&](size_t i) {
        const double level = kStops[stop][i] * (1 - fraction) + kStops[stop + 1][i] * fraction;
        return static_cast<uint8_t>(std::lround(level));
    };
    return {channel(0), channel(1), channel(2)};
}

}  // namespace

Image8 heatMap(const Image8& reference, const Image8& image) {
    const std::vector<float> differences = colourDifferences(reference, image);
    const auto pixels = std::make_shared<uint8_t[]>(3 * differences.size());
    size_t next = 0;
    for (const float difference : differences) {
        const Colour colour = heatOf(difference);
        pixels[next++] = colour.red;
        pixels[next++] = colour.green;
        pixels[next++] = colour.blue;
    }
    return {.widthPixels = image.widthPixels,
            .heightPixels = image.heightPixels,
            .channels = 3,
            .pixels = pixels};
}

Image8 heatLegend() {
    constexpr Colour kPaper{30, 30, 34};
    constexpr Colour kInk{232, 232, 232};
    constexpr int kLeft = 4;
    constexpr int kBarWidth = 256;
    constexpr int kBarHeight = 14;
    constexpr int kTicks = 4;
    Canvas canvas(kBarWidth + 90, 2 * kGlyphHeight + kBarHeight + 10, kPaper);
    canvas.write("CIEDE2000 (1: just noticeable)", kLeft, 0, kInk, 1);
    const int top = kGlyphHeight + 3;
    for (int x = 0; x < kBarWidth; ++x) {
        canvas.fill({kLeft + x, top, 1, kBarHeight},
                    heatOf(kHottestDifference * x / (kBarWidth - 1)));
    }
    for (int tick = 0; tick <= kTicks; ++tick) {
        const int x = kLeft + tick * (kBarWidth - 1) / kTicks;
        canvas.fill({x, top + kBarHeight, 1, 3}, kInk);
        const std::string number =
            formatNumber(kHottestDifference * tick / kTicks) + (tick == kTicks ? " and more" : "");
        canvas.write(number, std::max(x - kGlyphWidth / 2, 0), top + kBarHeight + 4, kInk, 1);
    }
    return canvas.image();
}

}  // namespace lowtide::image
