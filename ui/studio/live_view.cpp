#include "ui/studio/live_view.hpp"

#include "ui/document/node_title.hpp"
#include "ui/panels/viewer.hpp"

namespace lowtide::ui {

LiveView::LiveView(Workspace& workspace, Viewer& viewer, QObject* parent)
    : QObject(parent), workspace_(workspace), viewer_(viewer) {
    connect(&workspace_.statuses, &NodeStatuses::changed, this, &LiveView::follow);
    connect(&workspace_.queue, &RunQueue::ended, this, &LiveView::end);
    connect(&workspace_.run, &RunControl::busyChanged, this, [this](bool isBusy) {
        if (!isBusy) {
            viewer_.setFollowing(true);  // the next run is another matter
        }
    });
}

void LiveView::follow(const std::string& node) {
    const NodeStatus& status = workspace_.statuses.of(node);
    if (status.step) {
        followed_ = node;
        viewer_.showLive(status.picture, titleOf(node, *status.step));
    } else if (node == followed_ && viewer_.isLive()) {
        followed_.clear();
        if (!workspace_.run.arePreviewsShown()) {
            viewer_.endLive();
        }
    }
}

void LiveView::end(quint64 run) {
    const QueuedRun* over = workspace_.queue.find(run);
    if (!viewer_.isLive()) {
        return;
    }
    if (over && !over->files.isEmpty()) {
        viewer_.showFiles(over->files, over->files.back());
    } else if (over && !over->picture.image.isNull()) {
        viewer_.showImage(over->picture.largest(), over->title, over->picture.size);
    } else {
        viewer_.endLive();
    }
}

QString LiveView::titleOf(const std::string& node, const PictureStep& step) const {
    return tr("Preview of %1, step %2 of %3")
        .arg(nodeTitle(workspace_.model.document(), workspace_.model.catalog(), node))
        .arg(step.done)
        .arg(step.total);
}

}  // namespace lowtide::ui
