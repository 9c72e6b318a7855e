#pragma once

#include "ui/access/spoken.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/panels/image_compare.hpp"

#include <QPointF>
#include <QString>
#include <QWidget>

class QEvent;
class QPainter;
class QRect;

namespace lowtide::ui {

/// What the user does to the image that an ImageView shows: drawn over it, and asked first about
/// what the mouse, the pen and the keys do.
class ImageTool {
public:
    ImageTool() = default;
    ImageTool(const ImageTool&) = delete;
    ImageTool& operator=(const ImageTool&) = delete;
    virtual ~ImageTool() = default;

    /// `part` of the widget is painted again.
    virtual void paint(QPainter& painter, const QRect& part) = 0;
    /// Whether the view has nothing left to do about it.
    [[nodiscard]] virtual bool take(QEvent& event) = 0;
    /// What is done to the image, in words for assistive technology.
    [[nodiscard]] virtual QString spokenText() const = 0;
};

/// How two images are seen at once.
enum class CompareWay { Wipe, SideBySide, Difference };

/// Shows an image: zoom about the pointer, panning by drag, and two images compared. A zoom of 1
/// is one pixel of the image on one of the screen.
class ImageView : public QWidget, public Spoken {
    Q_OBJECT

public:
    explicit ImageView(QWidget* parent = nullptr);

    /// Shows it as large as it fits, a small one enlarged; one of the size of the last remains
    /// where it is.
    void setImage(ImageLevels levels);
    /// What lies on the right, drawn in place of the first one; empty: one is shown alone.
    void setCompared(ImageLevels levels);
    /// What the two that are compared are called, written over them.
    void setCaptions(const CompareCaptions& captions);
    void setWay(CompareWay way);

    [[nodiscard]] CompareWay way() const { return way_; }

    [[nodiscard]] const ImageLevels& image() const { return levels_; }

    [[nodiscard]] const ImageLevels& compared() const { return compared_; }

    [[nodiscard]] const CompareCaptions& captions() const { return captions_; }

    [[nodiscard]] bool isComparing() const { return !compared_.empty(); }

    void fit();
    void zoomTo(double zoom);
    /// Larger (steps > 0) or smaller about the middle.
    void zoomBy(int steps);
    [[nodiscard]] double zoom() const;

    [[nodiscard]] bool isFitted() const { return isFitted_; }

    /// Fraction of the image on the left of the wipe.
    [[nodiscard]] double wipe() const { return wipe_; }

    void setWipe(double wipe);

    /// Where a pixel of the image is painted, in the widget.
    [[nodiscard]] QPointF positionOf(const QPointF& pixel) const;
    /// The other way round; pixels go on beyond the image.
    [[nodiscard]] QPointF pixelAt(const QPointF& at) const;
    /// Moves the image so far that the pixel is seen.
    void bringIntoSight(const QPointF& pixel);
    /// What is done to the image from now on; nullptr: it is only looked at. The tool must be
    /// taken away before it ends.
    void setTool(ImageTool* tool);
    [[nodiscard]] QSize sizeHint() const override;

    /// What is shown, for assistive technology: the name of its file or node.
    void setSubject(const QString& subject);

    [[nodiscard]] QAccessible::Role spokenRole() const override { return QAccessible::Graphic; }

    [[nodiscard]] QString spokenText() const override;

Q_SIGNALS:
    void zoomChanged(double zoom);
    void wayChanged(lowtide::ui::CompareWay way);
    /// While it is only looked at.
    void doubleClicked();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Drag { None, Pan, Wipe };

    [[nodiscard]] bool isSplit() const { return isComparing() && way_ == CompareWay::SideBySide; }

    [[nodiscard]] QRectF area() const;  ///< of the first image, in the widget
    /// Of the other half, where the same pixel of the first image lies.
    [[nodiscard]] QPointF inFirst(const QPointF& point) const;
    [[nodiscard]] QRectF frame() const;  ///< of the image, in the widget
    [[nodiscard]] double fittedZoom() const;
    [[nodiscard]] double wipeX() const;
    [[nodiscard]] bool isOnWipe(const QPointF& point) const;
    void zoomAbout(double zoom, const QPointF& point);
    void keepInSight();
    void paintImages(QPainter& painter, const QRect& part) const;
    void paintLevels(QPainter& painter, const ImageLevels& levels, const QRectF& clip) const;
    void paintWipe(QPainter& painter) const;
    void paintSides(QPainter& painter) const;
    void paintDifference(QPainter& painter) const;
    void paintCaptions(QPainter& painter) const;
    void paintCaption(QPainter& painter, const QString& text, const QRectF& half, bool isEnd) const;

    ImageTool* tool_ = nullptr;
    ImageLevels levels_;
    ImageLevels compared_;
    CompareCaptions captions_;
    double zoom_ = 1;
    QPointF centre_;  ///< pixel of the image in the widget's middle
    double wipe_ = 0.5;
    CompareWay way_ = CompareWay::Wipe;
    bool isFitted_ = true;
    bool isReachedByKeys_ = false;  ///< the focus came by them, and is marked
    Drag drag_ = Drag::None;
    QPointF lastPoint_;
};

}  // namespace lowtide::ui
