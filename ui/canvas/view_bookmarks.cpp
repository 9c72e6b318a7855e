// GraphView's bookmarks and the ways back and on again.
#include "ui/canvas/graph_view_parts.hpp"

namespace lowtide::ui {

ViewPlace GraphView::Parts::place() const {
    const QPointF centre = view.viewportTransform().inverted().map(
        QPointF(view.viewport()->width(), view.viewport()->height()) / 2);
    return {{centre.x(), centre.y()}, zoom()};
}

void GraphView::Parts::show(const ViewPlace& place) {
    zoomAbout(QRectF(view.viewport()->rect()).center(), place.zoom);
    showsAll = false;
    view.centerOn(place.centre.x, place.centre.y);
}

void GraphView::Parts::leavePlace() {
    history.leave(place());
}

ViewPlace GraphView::place() const {
    return parts_->place();
}

void GraphView::showPlace(const ViewPlace& place) {
    parts_->show(place);
}

/// A step of the graph, as in Gaffer: a bookmark is kept in the file with the graph whose parts it
/// shows, and one that was overwritten by mistake comes back with undo.
void GraphView::keepBookmark(int number) {
    parts_->model.apply(tr("Keep bookmark %1").arg(number), [&](graph::Document& document) {
        setBookmark(document, number, parts_->place());
    });
    parts_->tip.say(tr("This view is bookmark %1 now.").arg(number), parts_->pointerOrMiddle());
}

void GraphView::goToBookmark(int number) {
    const std::optional<ViewPlace> kept = bookmarkOf(parts_->model.document(), number);
    if (!kept) {
        parts_->tip.say(
            tr("Bookmark %1 is free; View, Keep as bookmark gives it a view.").arg(number),
            parts_->pointerOrMiddle());
        return;
    }
    parts_->leavePlace();
    parts_->show(*kept);
}

void GraphView::goBack() {
    if (const auto earlier = parts_->history.back(parts_->place())) {
        parts_->show(*earlier);
    }
}

void GraphView::goForward() {
    if (const auto later = parts_->history.forward(parts_->place())) {
        parts_->show(*later);
    }
}

}  // namespace lowtide::ui
