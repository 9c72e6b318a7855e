#include "ui/painting/mask_canvas.hpp"

#include "plugin/base/error.hpp"
#include "ui/painting/brush_pass.hpp"
#include "ui/painting/mask_ops.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kSmallestMaskLevel = 512;

/// Share of a share, both of 255, rounded.
uchar shareOf(int level, int share) {
    return static_cast<uchar>((level * share + 127) / 255);
}

QRect aroundOf(const QPointF& point, double reach) {
    return QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach).toAlignedRect();
}

}  // namespace

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

/// The stroke covers each pixel as much as its strongest pass; so a stroke that crosses itself is
/// no stronger there.
void MaskCanvas::cover(int tile, const QRect& changed, const BrushPass& pass) {
    const MaskTiles tiles(mask().size());
    const QRect whole = tiles.rectOf(tile);
    const QRect part = whole & changed;
    const auto [found, isNew] = stroke_->tiles.try_emplace(tile);
    Cover& cover = found->second;
    if (isNew) {
        cover.base = tiles.pixelsOf(mask(), tile);
        cover.share.assign(cover.base.size(), 0);
    }
    const bool erases = stroke_->kind == StrokeKind::Erase;
    for (int y = part.top(); y <= part.bottom(); ++y) {
        const size_t first =
            static_cast<size_t>(y - whole.top()) * static_cast<size_t>(whole.width());
        uchar* row = levels_.front().scanLine(y);
        for (int x = part.left(); x <= part.right(); ++x) {
            const size_t at = first + static_cast<size_t>(x - whole.left());
            const int covered = cover.share[at];
            const int level = covered < 255 ? pass.levelAt(x, y) : 0;
            if (level <= covered) {
                continue;
            }
            cover.share[at] = static_cast<uchar>(level);
            const int base = cover.base[at];
            row[x] = erases ? shareOf(base, 255 - level)
                            : static_cast<uchar>(base + shareOf(255 - base, level));
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
