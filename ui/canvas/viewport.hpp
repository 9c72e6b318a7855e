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

/// The whole graph in a corner of the canvas, with the part that is seen; dragging moves it. Over
/// an image, or the one node that is selected, it is faint, and the pointer reaches what lies
/// below.
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

    [[nodiscard]] bool isFaint() const { return isFaint_; }

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
    void giveWay();
    /// Whether it would hide what somebody works at or looks at.
    [[nodiscard]] bool isInTheWay() const;
    void centreOn(QPointF point);
    void paintGraph(QPainter& painter) const;
    [[nodiscard]] QTransform toMap() const;

    QGraphicsView& view_;
    GraphScene& scene_;
    QRectF content_;  ///< of the scene
    std::optional<bool> asked_;
    QPixmap image_;  ///< of nodes and frames; null: to be painted
    bool isFaint_ = false;
    bool isHeld_ = false;  ///< it moves the view
};

/// What part of the graph a view shows: zoom and scrolling, bookmarks, the ways back and on again.
class ViewNavigation : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it.
    ViewNavigation(QGraphicsView& view, GraphScene& scene);

    [[nodiscard]] Minimap& minimap() { return minimap_; }

    [[nodiscard]] double zoom() const { return view_.transform().m11(); }

    /// What is in the middle, and how large; show() brings it back.
    [[nodiscard]] ViewState state() const;
    void show(const ViewState& state);
    void pan(QPoint by);
    /// The point of the viewport keeps what it shows.
    void zoomAbout(QPointF viewport, double zoom);
    /// By so many notches of a wheel.
    void zoomBy(double notches, QPointF viewport);
    void zoomIn();
    void zoomOut();
    /// So many pixels at the top lie behind something else: what is fitted or revealed stands below
    /// them.
    void setCovered(int top);
    /// All of the graph, also after the view got another size, until the user moves it.
    void fitAll();
    /// The same again, unless the user has moved the view.
    void fitAgain();
    /// The view got another size.
    void resized();

    // Jumps: goBack() comes back to where they began.
    void jumpToActual();
    void jumpToAll();
    /// An empty rectangle is all of the graph.
    void jumpTo(const QRectF& rect);
    /// Scrolls to a node that is not in view, or too small to be read.
    void reveal(const QRectF& body);
    /// False: no view has this number.
    [[nodiscard]] bool jumpToBookmark(int number);
    /// 1 to 9: the view as it is, in the document.
    void keepBookmark(int number);
    void goBack();
    void goForward();  ///< from where goBack() went

Q_SIGNALS:
    void zoomChanged(double percent);

private:
    [[nodiscard]] QPointF middle() const;
    /// The part of the viewport that is seen.
    [[nodiscard]] QRect uncovered() const;
    void centreOn(QPointF scene);
    void leave();
    void fit(const QRectF& rect);

    QGraphicsView& view_;
    GraphScene& scene_;
    Minimap minimap_;
    std::vector<ViewState> before_;  ///< from which the user jumped
    std::vector<ViewState> ahead_;   ///< from which goBack() went
    int covered_ = 0;
    bool showsAll_ = false;
};

}  // namespace lowtide::ui
