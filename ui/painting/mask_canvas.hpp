#pragma once

#include "ui/painting/brush.hpp"
#include "ui/painting/mask_history.hpp"

#include <QImage>
#include <QRect>

#include <map>
#include <optional>
#include <vector>

namespace lowtide::ui {

class BrushPass;

enum class StrokeKind { Paint, Erase };

/// A mask that is painted, with its steps. A value: what takes long is done to a copy on another
/// thread, which shares pixels until it changes them.
class MaskCanvas {
public:
    /// Format_Grayscale8, at most kMostMaskPixels.
    explicit MaskCanvas(const QImage& mask);

    [[nodiscard]] const QImage& mask() const { return levels_.front(); }

    /// The mask, then each time half as many pixels a side, for smaller views.
    [[nodiscard]] const std::vector<QImage>& levels() const { return levels_; }

    /// Begins a stroke, which ends the one before; the pixels that changed.
    QRect begin(StrokeKind kind, double hardness, const BrushPoint& point);
    /// To there in a straight line.
    QRect extend(const BrushPoint& point);
    /// The stroke becomes one step.
    void end();
    /// What the stroke painted is taken back; the pixels that changed.
    QRect cancel();

    [[nodiscard]] bool isPainting() const { return stroke_.has_value(); }

    /// Another mask of the same size, as one step.
    void replace(const QImage& mask);
    void undo();
    void redo();

    [[nodiscard]] const MaskHistory& history() const { return history_; }

private:
    struct Cover {
        std::vector<uchar> base;   ///< of the mask before the stroke
        std::vector<uchar> share;  ///< of the stroke
    };

    struct Stroke {
        StrokeKind kind = StrokeKind::Paint;
        double hardness = 1;
        BrushPoint last;
        std::map<int, Cover> tiles{};
        QRect painted{};
    };

    QRect segment(const BrushPoint& from, const BrushPoint& to);
    void cover(int tile, const QRect& changed, const BrushPass& pass);
    void refresh(const QRect& part);

    std::vector<QImage> levels_;
    MaskHistory history_;
    std::optional<Stroke> stroke_;
};

}  // namespace lowtide::ui
