#pragma once

#include <QImage>
#include <QPointF>
#include <QRect>
#include <QSize>

#include <optional>

namespace lowtide::ui {

/// What of the frame is dragged: edges that move with the pointer; none of them: all of it.
enum class FrameEdge { None = 0, Left = 1, Right = 2, Top = 4, Bottom = 8 };
Q_DECLARE_FLAGS(FrameEdges, FrameEdge)

/// The part of an image that is kept, which may reach beyond it: inside it crops, outside it asks
/// for more image. Sides are multiples, and of a fixed ratio where one is set.
class CropFrame {
public:
    /// The whole image, or as much of its middle as multiples hold.
    explicit CropFrame(const QSize& image);

    static constexpr int kMostSide = 16384;

    [[nodiscard]] const QRect& rect() const { return rect_; }

    [[nodiscard]] const QSize& image() const { return image_; }

    /// Whether there is something of the frame outside of the image.
    [[nodiscard]] bool isBeyond() const;
    /// Whether it is the image as it is.
    [[nodiscard]] bool isWhole() const;

    /// Width by height; nothing: free. The frame takes it at once, about its middle.
    void setRatio(std::optional<double> ratio);
    /// Of pixels, at least 1. The frame takes it at once.
    void setMultiple(int multiple);
    void reset();

    /// Takes hold of edges at a pixel, moves to another: always measured from where it was taken.
    void take(FrameEdges edges, const QPointF& at);
    void dragTo(const QPointF& at);
    /// By steps of one multiple, as keys do: moves the frame, or its right and lower edge.
    void move(int stepsX, int stepsY);
    void resize(int stepsX, int stepsY);

private:
    /// The size nearest to the wanted one that multiple, ratio and limits allow. `leads`: whether
    /// the width decides, where a ratio ties both.
    [[nodiscard]] QSize allowed(const QSizeF& wanted, bool widthLeads) const;
    void settle();
    void keepTouching();

    QSize image_;
    QRect rect_;
    int multiple_ = 8;
    std::optional<double> ratio_;
    FrameEdges edges_;
    QPointF takenAt_;
    QRect takenRect_;
};

/// An image that was cut or extended, and what of it is to be regenerated.
struct FramedImage {
    QImage image;
    QImage mask;  ///< null: nothing is new
};

/// The part of an image within `frame`, which may reach beyond it. What is new has the colours of
/// the nearest edge and is masked whole; from there the mask falls smoothly to nothing over
/// `overlap` pixels of the old image. Pixels of the old image are left as they are.
[[nodiscard]] FramedImage framedImage(const QImage& image, const QRect& frame, int overlap);

}  // namespace lowtide::ui

// Outside, as Qt's own: within lowtide::ui it would hide those of keys from every file of a batch.
Q_DECLARE_OPERATORS_FOR_FLAGS(lowtide::ui::FrameEdges)
