#include "ui/painting/mask_history.hpp"

#include <algorithm>
#include <cstring>

namespace lowtide::ui {

MaskTiles::MaskTiles(const QSize& size)
    : size_(size), columns_((size.width() + kSide - 1) / kSide) {}

std::vector<int> MaskTiles::touchedBy(const QRect& part) const {
    std::vector<int> tiles;
    const QRect inside = part & QRect(QPoint(0, 0), size_);
    if (inside.isEmpty()) {
        return tiles;
    }
    for (int row = inside.top() / kSide; row <= inside.bottom() / kSide; ++row) {
        for (int column = inside.left() / kSide; column <= inside.right() / kSide; ++column) {
            tiles.push_back(row * columns_ + column);
        }
    }
    return tiles;
}

QRect MaskTiles::rectOf(int tile) const {
    const QRect whole(tile % columns_ * kSide, tile / columns_ * kSide, kSide, kSide);
    return whole & QRect(QPoint(0, 0), size_);
}

std::vector<uchar> MaskTiles::pixelsOf(const QImage& mask, int tile) const {
    const QRect rect = rectOf(tile);
    std::vector<uchar> pixels;
    pixels.reserve(static_cast<size_t>(rect.width()) * static_cast<size_t>(rect.height()));
    for (int y = rect.top(); y <= rect.bottom(); ++y) {
        const uchar* row = mask.constScanLine(y) + rect.left();
        pixels.insert(pixels.end(), row, row + rect.width());
    }
    return pixels;
}

void MaskTiles::putInto(QImage& mask, int tile, const std::vector<uchar>& pixels) const {
    const QRect rect = rectOf(tile);
    const auto width = static_cast<size_t>(rect.width());
    for (int y = rect.top(); y <= rect.bottom(); ++y) {
        uchar* row = mask.scanLine(y) + rect.left();
        if (pixels.size() == 1) {
            std::memset(row, pixels.front(), width);
        } else {
            std::memcpy(row, pixels.data() + static_cast<size_t>(y - rect.top()) * width, width);
        }
    }
}

void MaskStep::keep(int tile, std::vector<uchar> pixels) {
    const bool isEven = std::all_of(
        pixels.begin(), pixels.end(), [&](uchar level) { return level == pixels.front(); });
    if (isEven) {
        pixels = {pixels.front()};
    }
    bytes += pixels.size();
    tiles[tile] = std::move(pixels);
}

size_t MaskHistory::bytes() const {
    size_t sum = 0;
    for (const Steps* steps : {&done_, &undone_}) {
        for (const auto& step : *steps) {
            sum += step->bytes;
        }
    }
    return sum;
}

void MaskHistory::add(MaskStep step) {
    undone_.clear();
    done_.push_back(std::make_shared<const MaskStep>(std::move(step)));
    while (done_.size() > 1 && bytes() > most_) {
        done_.pop_front();
    }
}

QRect MaskHistory::swap(Steps& from, Steps& to, QImage& mask) {
    if (from.empty()) {
        return {};
    }
    const MaskTiles tiles(mask.size());
    MaskStep back;
    QRect changed;
    for (const auto& [tile, pixels] : from.back()->tiles) {
        back.keep(tile, tiles.pixelsOf(mask, tile));
        tiles.putInto(mask, tile, pixels);
        changed |= tiles.rectOf(tile);
    }
    from.pop_back();
    to.push_back(std::make_shared<const MaskStep>(std::move(back)));
    return changed;
}

QRect MaskHistory::undo(QImage& mask) {
    return swap(done_, undone_, mask);
}

QRect MaskHistory::redo(QImage& mask) {
    return swap(undone_, done_, mask);
}

}  // namespace lowtide::ui
