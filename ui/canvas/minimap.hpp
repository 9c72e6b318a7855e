#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QGraphicsView>
#include <QPixmap>
#include <QWidget>

namespace lowtide::ui {

/// The whole graph in a corner of the canvas, with the part that is seen; dragging moves it.
class Minimap : public QWidget {
    Q_OBJECT

public:
    Minimap(QGraphicsView& view, GraphScene& scene);

    /// Puts it into the lower right corner of the view.
    void place();
    /// The part of the scene that is seen has changed.
    void viewMoved();

    [[nodiscard]] QSize sizeHint() const override;
    /// Where a point of the scene lies here.
    [[nodiscard]] QPointF mapFromScene(QPointF point) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void forget();
    void centreOn(QPointF point);
    void paintGraph(QPainter& painter) const;
    [[nodiscard]] QTransform toMap() const;

    QGraphicsView& view_;
    GraphScene& scene_;
    QPixmap picture_;  ///< of nodes and frames; null: to be painted
};

}  // namespace lowtide::ui
