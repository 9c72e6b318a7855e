#include "ui/studio/full_view.hpp"

#include <QAction>
#include <QMenuBar>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>

#include <utility>

namespace lowtide::ui {

FullView::FullView(MainWindowWidgets& widgets)
    : widgets_(widgets),
      full_(widgets.actions.at("view.full_screen")),
      hidden_(widgets.actions.at("view.hide_panels")) {
    for (const ActionDesc& desc : actionTable()) {
        if (desc.scope == ActionScope::Window) {
            keys_ << &widgets.actions.at(desc.id);
        }
    }
    connect(&full_, &QAction::toggled, this, &FullView::fillScreen);
    connect(&hidden_, &QAction::toggled, this, [this](bool areHidden) {
        if (!full_.isChecked()) {  // its end decides by the action
            hidePanels(areHidden);
        }
    });
    connect(&widgets_.viewer, &Viewer::aloneAsked, &full_, &QAction::setChecked);
    connect(&widgets_.centre, &QTabWidget::currentChanged, this, [this] {
        if (full_.isChecked() && widgets_.centre.currentWidget() != &widgets_.viewer) {
            tab_ = widgets_.centre.currentIndex();
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
        layout_ = layout_.isEmpty() ? widgets_.window.saveState()
                                    : layout_;  // they may be hidden already
        widgets_.panels.hideAll();
    } else {
        widgets_.panels.restore(std::exchange(layout_, {}));
    }
}

void FullView::fillScreen(bool isFull) {
    if (isFull) {
        tab_ = widgets_.centre.currentIndex();
        widgets_.centre.setCurrentWidget(&widgets_.viewer);
        hideFrame(true);
        widgets_.viewer.takeFocus();
    } else {
        hideFrame(false);
        widgets_.centre.setCurrentIndex(tab_);
    }
}

void FullView::hideFrame(bool isHidden) {
    const bool arePanelsShown = !hidden_.isChecked();
    if (isHidden) {
        widgets_.window.addActions(keys_);
    }
    if (isHidden && arePanelsShown) {
        hidePanels(true);
    }
    widgets_.window.menuBar()->setVisible(!isHidden);
    widgets_.window.statusBar()->setVisible(!isHidden);
    widgets_.centre.tabBar()->setVisible(!isHidden);
    widgets_.showDocumentRow();
    for (QToolBar* bar :
         widgets_.window.findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setVisible(!isHidden);
    }
    widgets_.viewer.setAlone(isHidden);
    widgets_.window.setWindowState(
        widgets_.window.windowState().setFlag(Qt::WindowFullScreen, isHidden));
    if (!isHidden && arePanelsShown) {
        hidePanels(false);
    }
    for (QAction* action : isHidden ? QList<QAction*>() : keys_) {
        widgets_.window.removeAction(action);
    }
}

}  // namespace lowtide::ui
