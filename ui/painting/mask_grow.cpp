#include "ui/painting/mask_ops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lowtide::ui {

namespace {

/// Loops over a fixed count become vector instructions; rows are padded to a multiple of it.
constexpr size_t kBlock = 64;

using Row = std::vector<uchar>;

size_t paddedTo(size_t length) {
    return (length + kBlock - 1) / kBlock * kBlock;
}

/// into = max(into, other), which do not overlap; `count` a multiple of kBlock.
void raise(uchar* __restrict into, const uchar* __restrict other, size_t count) {
    for (size_t at = 0; at < count; at += kBlock) {
        for (size_t i = at; i < at + kBlock; ++i) {
            into[i] = std::max(into[i], other[i]);
        }
    }
}

/// Rows above and below that a disc reaches with so many pixels to each side.
std::vector<std::vector<int>> reachesOfDisc(int radius) {
    std::vector<std::vector<int>> rows(static_cast<size_t>(radius) + 1);
    for (int dy = -radius; dy <= radius; ++dy) {
        const double half = std::sqrt(double(radius) * radius - double(dy) * dy);
        rows[static_cast<size_t>(half)].push_back(dy);
    }
    return rows;
}

/// Row by row: its running maximum over 1, 3, 5 ... pixels is laid on the rows that the disc
/// reaches with as many.
QImage dilated(const QImage& mask, int radius) {
    const auto width = static_cast<size_t>(mask.width());
    const size_t length = paddedTo(width);
    std::vector<Row> result(static_cast<size_t>(mask.height()), Row(length, 0));
    const std::vector<std::vector<int>> reaches = reachesOfDisc(radius);
    Row running(length + 2 * kBlock, 0);  // zeros around it
    Row wider = running;
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* from = mask.constScanLine(y);
        if (std::all_of(from, from + width, [](uchar level) { return level == 0; })) {
            continue;
        }
        std::fill(running.begin(), running.end(), uchar{0});
        std::copy(from, from + width, running.begin() + kBlock);
        for (size_t reach = 0; reach < reaches.size(); ++reach) {
            if (reach > 0) {
                wider = running;
                raise(wider.data() + kBlock, running.data() + kBlock - 1, length);
                raise(wider.data() + kBlock, running.data() + kBlock + 1, length);
                std::fill(wider.begin() + static_cast<std::ptrdiff_t>(kBlock + width),
                          wider.end(),
                          uchar{0});
                running.swap(wider);
            }
            for (const int dy : reaches[reach]) {
                if (y + dy >= 0 && y + dy < mask.height()) {
                    raise(result[static_cast<size_t>(y + dy)].data(),
                          running.data() + kBlock,
                          length);
                }
            }
        }
    }
    QImage image(mask.size(), QImage::Format_Grayscale8);
    for (int y = 0; y < mask.height(); ++y) {
        const Row& row = result[static_cast<size_t>(y)];
        std::copy(row.begin(), row.begin() + mask.width(), image.scanLine(y));
    }
    return image;
}

}  // namespace

QImage grown(const QImage& mask, int pixels) {
    return pixels == 0  ? mask
           : pixels > 0 ? dilated(mask, pixels)
                        : inverted(dilated(inverted(mask), -pixels));
}

}  // namespace lowtide::ui
