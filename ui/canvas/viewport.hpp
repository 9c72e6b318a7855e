#pragma once

#include "ui/access/spoken.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/document/edits.hpp"

#include <QGraphicsView>
#include <QPixmap>
#include <QWidget>

#include <optional>
#include <vector>

namespace lowtide::ui {

/// Views from which the user jumped elsewhere, for the ways back and on again.
class ViewHistory {
public:
    /// The view is about to jump away from `now`; what lay ahead is forgotten.
    void leave(const ViewState& now);
    /// The view before the last jump; nothing: there is none.
    [[nodiscard]] std::optional<ViewState> back(const ViewState& now);
    /// The view from which back() went; nothing: there is none.
    [[nodiscard]] std::optional<ViewState> forward(const ViewState& now);
    void clear();

private:
    std::vector<ViewState> before_;
    std::vector<ViewState> ahead_;
};

/// The whole graph in a corner of the canvas, with the part that is seen; dragging moves it.
class Minimap : public QWidget, public Spoken {
    Q_OBJECT

public:
    Minimap(QGraphicsView& view, GraphScene& scene);

    /// Puts it into the lower right corner of the view, larger in a large one.
    void reposition();
    /// The part of the scene that is seen has changed.
    void viewMoved();
    /// Shows or hides it for good; until then it is there while something lies out of view.
    void ask(bool isWanted);

    /// Where a point of the scene lies here.
    [[nodiscard]] QPointF mapFromScene(QPointF point) const;

    [[nodiscard]] QAccessible::Role spokenRole() const override { return QAccessible::Graphic; }

    /// How much of the graph is seen.
    [[nodiscard]] QString spokenText() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

Q_SIGNALS:
    void shownChanged(bool isShown);

private:
    void forget();
    void showIfNeeded();
    [[nodiscard]] bool isNeeded() const;
    void centreOn(QPointF point);
    void paintGraph(QPainter& painter) const;
    [[nodiscard]] QTransform toMap() const;

    QGraphicsView& view_;
    GraphScene& scene_;
    QRectF content_;  ///< of the scene
    std::optional<bool> asked_;
    QPixmap image_;  ///< of nodes and frames; null: to be painted
};

}  // namespace lowtide::ui
