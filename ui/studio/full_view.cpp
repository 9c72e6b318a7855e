#include "ui/studio/full_view.hpp"

#include <QAction>
#include <QMenuBar>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>

#include <utility>

namespace lowtide::ui {

FullView::FullView(
    QMainWindow& window, Panels& panels, QTabWidget& centre, Viewer& viewer, const Actions& actions)
    : window_(window),
      panels_(panels),
      centre_(centre),
      viewer_(viewer),
      full_(actions.at("view.full_screen")),
      hidden_(actions.at("view.hide_panels")) {
    for (const ActionDesc& desc : actionTable()) {
        if (desc.scope == ActionScope::Window) {
            keys_ << &actions.at(desc.id);
        }
    }
    connect(&full_, &QAction::toggled, this, &FullView::fillScreen);
    connect(&hidden_, &QAction::toggled, this, &FullView::hidePanels);
    connect(&viewer_, &Viewer::aloneAsked, &full_, &QAction::setChecked);
    connect(&centre_, &QTabWidget::currentChanged, this, [this] {
        if (full_.isChecked() && centre_.currentWidget() != &viewer_) {
            tab_ = centre_.currentIndex();
            full_.setChecked(false);
        }
    });
}

void FullView::end() {
    full_.setChecked(false);
    hidden_.setChecked(false);
}

void FullView::hidePanels(bool areHidden) {
    if (areHidden) {
        layout_ = layout_.isEmpty() ? window_.saveState() : layout_;  // they may be hidden already
        panels_.hideAll();
    } else {
        panels_.restore(std::exchange(layout_, {}));
    }
}

void FullView::fillScreen(bool isFull) {
    if (isFull) {
        tab_ = centre_.currentIndex();
        centre_.setCurrentWidget(&viewer_);
        hideFrame(true);
        viewer_.takeFocus();
    } else {
        hideFrame(false);
        centre_.setCurrentIndex(tab_);
    }
}

void FullView::hideFrame(bool isHidden) {
    const bool arePanelsShown = !hidden_.isChecked();
    if (isHidden) {
        window_.addActions(keys_);
    }
    if (isHidden && arePanelsShown) {
        hidePanels(true);
    }
    window_.menuBar()->setVisible(!isHidden);
    window_.statusBar()->setVisible(!isHidden);
    centre_.tabBar()->setVisible(!isHidden);
    for (QToolBar* bar : window_.findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setVisible(!isHidden);
    }
    viewer_.setAlone(isHidden);
    window_.setWindowState(window_.windowState().setFlag(Qt::WindowFullScreen, isHidden));
    if (!isHidden && arePanelsShown) {
        hidePanels(false);
    }
    for (QAction* action : isHidden ? QList<QAction*>() : keys_) {
        window_.removeAction(action);
    }
}

}  // namespace lowtide::ui
