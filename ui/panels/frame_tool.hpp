#pragma once

#include "ui/painting/crop_frame.hpp"
#include "ui/panels/image_view.hpp"

#include <QObject>
#include <QWidget>

#include <optional>

class QComboBox;
class QKeyEvent;
class QLabel;
class QMouseEvent;
class QPushButton;
class QSpinBox;

namespace lowtide::ui {

class ImageView;

/// The frame of a crop over the image of a view: dragged by its edges, its corners or as a whole,
/// also beyond the image; arrows move it, Shift and arrows change its size.
class FrameTool : public QObject, public ImageTool {
    Q_OBJECT

public:
    /// `view` must outlive it and show the image.
    FrameTool(ImageView& view, QObject* parent);

    [[nodiscard]] const CropFrame& frame() const { return frame_; }

    void setRatio(std::optional<double> ratio);
    void setMultiple(int multiple);
    void reset();

    void paint(QPainter& painter, const QRect& part) override;
    [[nodiscard]] bool take(QEvent& event) override;
    [[nodiscard]] QString spokenText() const override;

Q_SIGNALS:
    void changed();
    /// Return, Escape.
    void accepted();
    void closeAsked();

private:
    bool takeMouse(QMouseEvent& event);
    bool takeKey(QKeyEvent& event);
    /// What of the frame lies there; nothing: it is outside.
    [[nodiscard]] std::optional<FrameEdges> edgesAt(const QPointF& point) const;
    [[nodiscard]] QRectF frameRect() const;
    void notify();

    ImageView& view_;
    CropFrame frame_;
    bool isDragged_ = false;
};

/// The settings next to an image that is cropped or extended.
class FramePanel : public QWidget {
    Q_OBJECT

public:
    explicit FramePanel(QWidget* parent);

    /// nullptr: none.
    void setTool(FrameTool* tool);
    /// Pixels of the old image over which a mask of what is new falls off.
    [[nodiscard]] int overlap() const;
    /// What is being done, or what went wrong.
    void showMessage(const QString& text);

Q_SIGNALS:
    void writeAsked();
    void closeAsked();

private:
    void show();

    FrameTool* tool_ = nullptr;
    QComboBox* ratio_;
    QComboBox* multiple_;
    QSpinBox* overlap_;
    QLabel* size_;
    QLabel* reported_;
    QPushButton* write_;
};

}  // namespace lowtide::ui
