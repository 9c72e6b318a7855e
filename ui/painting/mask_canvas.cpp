#include "ui/painting/mask_canvas.hpp"

#include "plugin/base/error.hpp"
#include "ui/painting/mask_ops.hpp"

#include <QRectF>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lowtide::ui {

/// A brush that moves in a straight line: how far a pixel is from where it passes nearest.
class BrushPass {
public:
    BrushPass(const BrushPoint& from, const BrushPoint& to, double hardness)
        : from_(from),
          to_(to),
          hardness_(hardness),
          isEven_(from.radius == to.radius && from.opacity == to.opacity),
          edge_(from.radius, hardness),
          alongX_(static_cast<float>(to.at.x() - from.at.x())),
          alongY_(static_cast<float>(to.at.y() - from.at.y())) {
        const float squared = alongX_ * alongX_ + alongY_ * alongY_;
        perSquared_ = squared > 0 ? 1 / squared : 0;
    }

    /// Whether some of a tile may be covered: its middle is near enough to the way.
    [[nodiscard]] bool mayTouch(const QRect& tile) const {
        const QPointF middle = QRectF(tile).center();
        const Away away = awayOf(middle.x(), middle.y());
        return std::sqrt(away.squared) <=
               std::hypot(tile.width(), tile.height()) / 2 + std::max(from_.radius, to_.radius) + 1;
    }

    /// How much it covers a pixel, of 255.
    [[nodiscard]] int levelAt(int x, int y) const {
        const auto [squared, position] = awayOf(x + 0.5, y + 0.5);
        const double weight =
            isEven_ ? edge_.coverageAt(squared) : unevenCoverageAt(squared, position);
        return static_cast<int>(255 * weight * (from_.opacity + double(position) * opacityGain()) +
                                0.5);
    }

private:
    struct Away {
        float squared;   ///< of the distance
        float position;  ///< on the way, 0 to 1
    };

    [[nodiscard]] Away awayOf(double x, double y) const {
        const auto apartX = static_cast<float>(x - from_.at.x());
        const auto apartY = static_cast<float>(y - from_.at.y());
        const float position =
            std::clamp((apartX * alongX_ + apartY * alongY_) * perSquared_, 0.0f, 1.0f);
        const float awayX = apartX - position * alongX_;
        const float awayY = apartY - position * alongY_;
        return {awayX * awayX + awayY * awayY, position};
    }

    [[nodiscard]] double opacityGain() const { return to_.opacity - from_.opacity; }

    [[nodiscard]] float unevenCoverageAt(float squared, float position) const {
        const double radius = from_.radius + double(position) * (to_.radius - from_.radius);
        return BrushEdge(radius, hardness_).coverageAt(squared);
    }

    const BrushPoint& from_;
    const BrushPoint& to_;
    double hardness_;
    bool isEven_;
    BrushEdge edge_;
    float alongX_;
    float alongY_;
    float perSquared_ = 0;
};

namespace {

constexpr int kSmallestMaskLevel = 512;

QRect aroundOf(const QPointF& point, double reach) {
    return QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach).toAlignedRect();
}

}  // namespace

Brush Brush::resized(double steps) const {
    Brush brush = *this;
    const double wanted = diameter * std::pow(kStep, steps);
    const double atLeast = steps > 0 ? diameter + 1 : diameter - 1;
    brush.diameter =
        std::clamp(std::round(steps > 0 ? std::max(wanted, atLeast) : std::min(wanted, atLeast)),
                   kLeast,
                   kMost);
    return brush;
}

Brush Brush::hardened(double steps) const {
    Brush brush = *this;
    brush.hardness = std::clamp(hardness + steps * kHardnessStep, 0.0, 1.0);
    return brush;
}

BrushEdge::BrushEdge(double radius, double hardness)
    : inner_(static_cast<float>(std::max(0.0, std::min(radius * hardness, radius - 0.5)))),
      outer_(static_cast<float>(std::max(radius, double(inner_) + 1))) {}

float BrushEdge::coverageAt(float distanceSquared) const {
    if (distanceSquared <= inner_ * inner_) {
        return 1;
    }
    if (distanceSquared >= outer_ * outer_) {
        return 0;
    }
    const float left = (outer_ - std::sqrt(distanceSquared)) / (outer_ - inner_);
    return left * left * (3 - 2 * left);
}

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

MaskCanvas::MaskCanvas(const QImage& mask) {
    LOWTIDE_ASSERT(mask.format() == QImage::Format_Grayscale8 && !mask.isNull());
    levels_.push_back(mask);
    while (std::max(levels_.back().width(), levels_.back().height()) > kSmallestMaskLevel) {
        levels_.push_back(halved(levels_.back()));
    }
}

QRect MaskCanvas::begin(StrokeKind kind, double hardness, const BrushPoint& point) {
    end();
    stroke_ = Stroke{.kind = kind, .hardness = hardness, .last = point};
    return segment(point, point);
}

QRect MaskCanvas::extend(const BrushPoint& point) {
    if (!stroke_) {
        return {};
    }
    const QRect changed = segment(stroke_->last, point);
    stroke_->last = point;
    return changed;
}

QRect MaskCanvas::segment(const BrushPoint& from, const BrushPoint& to) {
    const double reach = std::max(from.radius, to.radius) + 1;
    const QRect part = (aroundOf(from.at, reach) | aroundOf(to.at, reach)) & mask().rect();
    const MaskTiles tiles(mask().size());
    const BrushPass pass(from, to, stroke_->hardness);
    for (const int tile : tiles.touchedBy(part)) {
        if (pass.mayTouch(tiles.rectOf(tile))) {
            cover(tile, part, pass);
        }
    }
    refresh(part);
    stroke_->painted |= part;
    return part;
}

/// The stroke covers each pixel as much as its strongest brush pass; so a stroke that crosses
/// itself is no stronger there.
void MaskCanvas::cover(int tile, const QRect& changed, const BrushPass& pass) {
    const MaskTiles tiles(mask().size());
    const QRect whole = tiles.rectOf(tile);
    const QRect part = whole & changed;
    const auto [found, isNew] = stroke_->tiles.try_emplace(tile);
    Cover& cover = found->second;
    if (isNew) {
        cover.base = tiles.pixelsOf(mask(), tile);
        cover.weight.assign(cover.base.size(), 0);
    }
    const bool erases = stroke_->kind == StrokeKind::Erase;
    for (int y = part.top(); y <= part.bottom(); ++y) {
        const size_t first =
            static_cast<size_t>(y - whole.top()) * static_cast<size_t>(whole.width());
        uchar* row = levels_.front().scanLine(y);
        for (int x = part.left(); x <= part.right(); ++x) {
            const size_t at = first + static_cast<size_t>(x - whole.left());
            const int covered = cover.weight[at];
            const int level = covered < 255 ? pass.levelAt(x, y) : 0;
            if (level <= covered) {
                continue;
            }
            cover.weight[at] = static_cast<uchar>(level);
            const int base = cover.base[at];
            row[x] = erases ? fractionOf(base, 255 - level)
                            : static_cast<uchar>(base + fractionOf(255 - base, level));
        }
    }
}

void MaskCanvas::refresh(const QRect& part) {
    QRect changed = part;
    for (size_t level = 1; level < levels_.size(); ++level) {
        changed = QRect(QPoint(changed.left() / 2, changed.top() / 2),
                        QPoint(changed.right() / 2, changed.bottom() / 2));
        halveInto(levels_[level], levels_[level - 1], changed);
    }
}

void MaskCanvas::end() {
    if (!stroke_) {
        return;
    }
    MaskStep step;
    const MaskTiles tiles(mask().size());
    for (auto& [tile, cover] : stroke_->tiles) {
        if (cover.base != tiles.pixelsOf(mask(), tile)) {
            step.keep(tile, std::move(cover.base));
        }
    }
    stroke_.reset();
    if (!step.tiles.empty()) {
        history_.add(std::move(step));
    }
}

QRect MaskCanvas::cancel() {
    if (!stroke_) {
        return {};
    }
    const MaskTiles tiles(mask().size());
    for (const auto& [tile, cover] : stroke_->tiles) {
        tiles.putInto(levels_.front(), tile, cover.base);
    }
    const QRect changed = stroke_->painted;
    stroke_.reset();
    refresh(changed);
    return changed;
}

void MaskCanvas::replace(const QImage& mask) {
    LOWTIDE_ASSERT(mask.size() == levels_.front().size());
    end();
    MaskStep step;
    const MaskTiles tiles(mask.size());
    for (const int tile : tiles.touchedBy(mask.rect())) {
        std::vector<uchar> before = tiles.pixelsOf(levels_.front(), tile);
        if (before != tiles.pixelsOf(mask, tile)) {
            step.keep(tile, std::move(before));
        }
    }
    if (!step.tiles.empty()) {
        history_.add(std::move(step));
        levels_.front() = mask;
        refresh(mask.rect());
    }
}

void MaskCanvas::undo() {
    end();
    if (const QRect changed = history_.undo(levels_.front()); !changed.isEmpty()) {
        refresh(changed);
    }
}

void MaskCanvas::redo() {
    end();
    if (const QRect changed = history_.redo(levels_.front()); !changed.isEmpty()) {
        refresh(changed);
    }
}

}  // namespace lowtide::ui
