#pragma once

#include <QImage>
#include <QPointF>
#include <QRect>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lowtide::ui {

class BrushPass;

/// What a stroke is painted with.
struct Brush {
    double diameter = 64;   ///< pixels of the image
    double hardness = 0.8;  ///< fraction of the radius within which it covers fully
    double opacity = 1;     ///< most that a stroke covers

    static constexpr double kLeast = 1;
    static constexpr double kMost = 1024;
    /// A key changes the diameter by this factor, at least by a pixel.
    static constexpr double kStep = 1.2;
    static constexpr double kHardnessStep = 0.1;

    /// `steps` keys larger (above 0) or smaller.
    [[nodiscard]] Brush resized(double steps) const;
    [[nodiscard]] Brush hardened(double steps) const;
};

/// How much a brush covers at a distance from its middle, 0 to 1: whole inside, then falling
/// smoothly to nothing at the radius. A hard brush still has an edge of one pixel.
class BrushEdge {
public:
    BrushEdge(double radius, double hardness);

    [[nodiscard]] double outer() const { return outer_; }

    [[nodiscard]] float coverageAt(float distanceSquared) const;

private:
    float inner_;
    float outer_;
};

/// A position of the pen: where, and how large and strong the brush is there.
struct BrushPoint {
    QPointF at;          ///< pixels of the image
    double radius = 32;  ///< pixels
    double opacity = 1;
};

/// Tiles of a mask, as large as what a stroke touches at least.
class MaskTiles {
public:
    static constexpr int kSide = 128;

    explicit MaskTiles(const QSize& size);

    /// Those that a rectangle touches.
    [[nodiscard]] std::vector<int> touchedBy(const QRect& part) const;
    /// Pixels of a tile; those at the right and at the bottom are smaller.
    [[nodiscard]] QRect rectOf(int tile) const;
    [[nodiscard]] std::vector<uchar> pixelsOf(const QImage& mask, int tile) const;
    void putInto(QImage& mask, int tile, const std::vector<uchar>& pixels) const;

private:
    QSize size_;
    int columns_;
};

/// What one step replaced: tiles as they were before it (or after it, once it was undone). A tile
/// of one level is kept as that level.
struct MaskStep {
    std::map<int, std::vector<uchar>> tiles;
    size_t bytes = 0;

    void keep(int tile, std::vector<uchar> pixels);
};

/// Steps that can be undone, in bounded memory: the oldest are forgotten, the newest never.
class MaskHistory {
public:
    static constexpr size_t kMostBytes = 64 * 1024 * 1024;

    /// `most`: bytes of all steps together.
    explicit MaskHistory(size_t most = kMostBytes) : most_(most) {}

    void add(MaskStep step);
    /// Nothing where there is no step; the pixels that changed.
    QRect undo(QImage& mask);
    QRect redo(QImage& mask);

    [[nodiscard]] bool canUndo() const { return !done_.empty(); }

    [[nodiscard]] bool canRedo() const { return !undone_.empty(); }

    [[nodiscard]] size_t bytes() const;

private:
    using Steps = std::deque<std::shared_ptr<const MaskStep>>;
    static QRect swap(Steps& from, Steps& to, QImage& mask);

    size_t most_;
    Steps done_;
    Steps undone_;
};

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
        std::vector<uchar> base;    ///< of the mask before the stroke
        std::vector<uchar> weight;  ///< of the stroke
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
