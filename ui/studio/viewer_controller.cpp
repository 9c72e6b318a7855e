#include "ui/studio/viewer_controller.hpp"

#include "ui/document/node_title.hpp"
#include "ui/studio/used_values.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

ViewerController::ViewerController(MainWindowWidgets& widgets, FileCommands& files)
    : widgets_(widgets), workspace_(widgets.workspace), viewer_(widgets.viewer), files_(files) {
    connectWidgets();
    if (widgets.gallery) {
        connectLibrary();
    }
    connect(&workspace_.statuses, &NodeStatuses::changed, this, &ViewerController::follow);
    connect(&workspace_.queue, &RunQueue::started, this, &ViewerController::begin);
    connect(&workspace_.queue, &RunQueue::ended, this, &ViewerController::end);
    connect(&viewer_, &Viewer::chosen, this, &ViewerController::hold);
}

void ViewerController::connectWidgets() {
    widgets_.actions.on("view.viewer", this, &ViewerController::showViewer);
    connect(&viewer_, &Viewer::openGraphAsked, this, &ViewerController::openGraphOfImage);
    connect(&viewer_, &Viewer::valuesAsked, this, [this](ImageUse use) {
        const LoadedImage& image = viewer_.image();
        useImageValues(widgets_,
                       {.graph = image.graphText(),
                        .file = image.path,
                        .name = QFileInfo(image.path).fileName()},
                       use);
    });
    connect(&widgets_.canvas, &GraphView::imageActivated, this, &ViewerController::showNode);
    connect(&widgets_.queue, &QueuePanel::graphRequested, this, &ViewerController::openGraphOf);
    connect(&widgets_.queue, &QueuePanel::imageRequested, this, &ViewerController::showImageOf);
}

void ViewerController::connectLibrary() {
    Gallery& gallery = *widgets_.gallery;
    Filmstrip& strip = *widgets_.strip;
    connect(&gallery, &Gallery::viewAsked, this, [this, &gallery](const QString& path) {
        showAmong(gallery.files(), path);
    });
    connect(&gallery, &Gallery::compareAsked, this, [this](const auto& left, const auto& right) {
        hold();
        viewer_.compareFiles(left, right);
        showViewer();
    });
    connect(widgets_.sheet, &SheetView::viewAsked, this, &ViewerController::showAmong);
    connect(widgets_.sheet, &SheetView::compareAsked, &gallery, &Gallery::compareAsked);
    connect(&viewer_, &Viewer::menuAsked, &gallery, [this, &gallery](QMenu* menu) {
        gallery.addTo(*menu, viewer_.path());
    });
    connect(&viewer_, &Viewer::shown, &strip, [this, &strip] { strip.follow(viewer_.path()); });
    connect(&strip, &Filmstrip::wanted, this, [this, &gallery](const QString& path) {
        hold();
        viewer_.showFiles(gallery.files(), path);
    });
    QAction& shown = widgets_.actions.at("view.filmstrip");
    Settings& settings = workspace_.settings();
    shown.setChecked(settings.preferences().showsFilmstrip);
    strip.setVisible(shown.isChecked());
    connect(&shown, &QAction::toggled, &strip, [&strip, &settings](bool isShown) {
        strip.setVisible(isShown);
        settings.change([&](Preferences& preferences) { preferences.showsFilmstrip = isShown; });
    });
}

/// With the keyboard in it.
void ViewerController::showViewer() {
    widgets_.centre.setCurrentWidget(&viewer_);
    viewer_.takeFocus();
}

/// The user chose what to look at. While nothing runs, what he starts next may take its place.
void ViewerController::hold() {
    const auto& runs = workspace_.queue.runs();
    if (workspace_.queue.isIdle() || !(viewer_.isFollowing() || isHeld_)) {
        return;
    }
    isHeld_ = true;
    lastHeldRun_ = std::ranges::max_element(runs, {}, &QueuedRun::id)->id;
    viewer_.setFollowing(false);
}

/// Not where the user himself switched following off.
void ViewerController::followAgain() {
    if (std::exchange(isHeld_, false)) {
        viewer_.setFollowing(true);
    }
}

void ViewerController::show(const QString& file) {
    showAmong(workspace_.queue.history().siblingFiles(file), file);
}

void ViewerController::showAmong(const QStringList& files, const QString& file) {
    hold();
    viewer_.showFiles(files, file);
    showViewer();
}

void ViewerController::showImage(const QImage& image, const QString& title, const QSize& size) {
    hold();
    viewer_.showImage(image, title, size);
    showViewer();
}

void ViewerController::showNode(const std::string& node) {
    const NodeStatus& status = workspace_.statuses.of(node);
    if (status.step) {
        isHeld_ = false;
        viewer_.setFollowing(true);
        showViewer();
    } else if (status.files.isEmpty()) {
        showImage(status.wholeImage.isNull() ? status.nodeImage : status.wholeImage,
                  nodeTitle(workspace_.model.document(), workspace_.model.catalog(), node),
                  status.shownSize);
    } else {
        show(status.files.back());
    }
}

void ViewerController::showImageOf(quint64 run) {
    const QueuedRun* queued = workspace_.queue.find(run);
    if (queued && !queued->files.isEmpty()) {
        show(queued->files.back());
    } else if (const QImage image = queued ? queued->largest() : QImage(); !image.isNull()) {
        showImage(image, queued->title, queued->nodeImage.size);
    }
}

/// An image names files without their folders; the queue still knows where they lie.
void ViewerController::openGraphOfImage(const QString& file) {
    if (const QueuedRun* run = workspace_.queue.history().writerOf(file)) {
        openGraphOf(run->id);
    } else {
        files_.openPath(file);
    }
}

void ViewerController::openGraphOf(quint64 run) {
    const QueuedRun* queued = workspace_.queue.find(run);
    if (queued) {
        files_.openRun(queued->graph, queued->title, queued->options, queued->files);
    }
}

/// What a run is making shows while it makes it, and at its end what it made.
void ViewerController::follow(const std::string& node) {
    const NodeStatus& status = workspace_.statuses.of(node);
    if (status.step) {
        followed_ = node;
        viewer_.showLive(status.nodeImage, titleOf(node, *status.step));
    } else if (node == followed_ && viewer_.isLive()) {
        followed_.clear();
        if (!workspace_.run.arePreviewsShown()) {
            viewer_.endLive();
        }
    }
}

/// A run that repeats by itself is none that the user started.
void ViewerController::begin(quint64 run) {
    if (workspace_.run.isRepeating()) {
        lastHeldRun_ = std::max(lastHeldRun_, run);
    } else if (run > lastHeldRun_) {
        followAgain();
    }
}

void ViewerController::end(quint64 run) {
    const QueuedRun* over = workspace_.queue.find(run);
    const bool isShown = over && (viewer_.isLive() || viewer_.canFollow());
    if (isShown && !over->files.isEmpty()) {
        viewer_.showFiles(over->files, over->files.back());
    } else if (isShown && over->state == RunState::Finished && !over->largest().isNull()) {
        viewer_.showImage(over->largest(), over->title, over->nodeImage.size);
    } else {
        viewer_.endLive();
    }
    if (workspace_.queue.isIdle()) {
        followAgain();
    }
}

QString ViewerController::titleOf(const std::string& node, const ImageStep& step) const {
    return tr("Preview of %1, step %2 of %3")
        .arg(nodeTitle(workspace_.model.document(), workspace_.model.catalog(), node))
        .arg(step.done)
        .arg(step.total);
}

}  // namespace lowtide::ui
