// Sheets of the desk: where they are asked for, and what is done with their cells.
#include "ui/editors/edit_session.hpp"
#include "ui/studio/desk.hpp"

#include <utility>

namespace lowtide::ui {

void Desk::buildSheets() {
    if (!workspace_.library) {
        return;
    }
    sheet_ = new SheetView(centre_);
    centre_->addTab(sheet_, tr("Sheet"));
    sheets_ = new SheetDesk(workspace_, *sheet_, *notices_, &parts_.window);
    inspector_->offerSheets();
    canvas_->offerSheets();
    const auto vary = [this](const std::string& node, const std::string& item, bool areRows) {
        if (EditSession::commit()) {
            sheets_->ask({.node = node, .item = item, .areRows = areRows});
        } else {
            tellUnread();
        }
    };
    connect(inspector_, &Inspector::varyAsked, this, vary);
    connect(
        canvas_,
        &GraphView::varyRequested,
        this,
        [vary](const std::string& node, const std::string& param) { vary(node, param, false); });
    connect(sheets_, &SheetDesk::shown, this, [this] { centre_->setCurrentWidget(sheet_); });
    connect(sheets_, &SheetDesk::valuesUsed, this, [this] { centre_->setCurrentIndex(0); });
    connect(gallery_, &Gallery::sheetAsked, sheets_, &SheetDesk::open);
    connect(sheet_, &SheetView::graphAsked, earlier_, &GalleryDesk::openGraph);
    connect(earlier_, &GalleryDesk::forgotten, sheets_, &SheetDesk::writeMissing);
    connect(sheet_, &SheetView::compareAsked, gallery_, &Gallery::compareAsked);
    connect(
        sheet_, &SheetView::viewAsked, this, [this](const QStringList& files, const QString& path) {
            if (viewer_->isLive()) {
                viewer_->setFollowing(false);
            }
            viewer_->showFiles(files, path);
            showViewer();
        });
    sheets_->writeMissing();
}

/// Begins with the parameter whose value is being edited, where there is one.
void Desk::varyFocused() {
    if (!sheets_) {
        return;
    }
    const auto [node, param] = inspector_->focused();
    if (!EditSession::commit()) {
        tellUnread();
        return;
    }
    sheets_->ask({.node = node, .item = param});
}

/// All that was taken back can be queued again, though the list keeps the newest alone.
void Desk::stopAfterThis() {
    const std::vector<QueuedRun> back = workspace_.run.stopAfterThis();
    if (back.empty()) {
        notices_->show(NoticeKind::Info, tr("No run waits."));
        return;
    }
    notices_->show(NoticeKind::Info,
                   tr("%n waiting runs were cancelled.", nullptr, static_cast<int>(back.size())),
                   tr("Queue them again"),
                   [this, back] { workspace_.queue.addAgain(back); });
}

}  // namespace lowtide::ui
