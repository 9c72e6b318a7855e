#pragma once

#include <QImage>
#include <QRect>

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace lowtide::ui {

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

}  // namespace lowtide::ui
