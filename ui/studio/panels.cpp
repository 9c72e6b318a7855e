#include "ui/studio/panels.hpp"

#include "plugin/base/error.hpp"
#include "ui/theme/theme.hpp"

namespace lowtide::ui {

namespace {

/// Pixels that an area has at first: columns beside the canvas, the row below it.
constexpr int kLeftWidth = 75;  // in steps of the rhythm
constexpr int kRightWidth = 92;
constexpr int kRowHeight = 56;

}  // namespace

Panels::Panels(QMainWindow& window) : QObject(&window), window_(window) {
    window_.setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
    window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window_.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window_.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
}

void Panels::add(const char* name, const QString& title, QWidget* panel, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, &window_);
    dock->setObjectName(QString::fromLatin1(name));
    dock->setWidget(panel);
    panels_.emplace(name, Panel{dock, area});
    window_.addDockWidget(area, dock);
    const auto [first, isFirst] = first_.emplace(area, dock);
    if (!isFirst) {
        window_.tabifyDockWidget(first->second, dock);
        first->second->raise();
    }
    connect(dock, &QDockWidget::visibilityChanged, this, [this, dock](bool isVisible) {
        Q_EMIT shownChanged(dock->objectName(), isVisible);
    });
}

void Panels::show(const std::string& name) {
    const auto found = panels_.find(name);
    LOWTIDE_ASSERT(found != panels_.end());
    QDockWidget* dock = found->second.dock;
    dock->show();
    dock->raise();
    dock->widget()->setFocus(Qt::ShortcutFocusReason);
}

bool Panels::isShown(const std::string& name) const {
    const auto found = panels_.find(name);
    return found != panels_.end() && found->second.dock->isVisible() &&
           !found->second.dock->visibleRegion().isEmpty();
}

void Panels::setTitle(const std::string& name, const QString& title) {
    panels_.at(name).dock->setWindowTitle(title);
}

void Panels::reset() {
    // The first ones before the others: adding a dock takes it out of its tabs.
    for (auto& [area, first] : first_) {
        first->setFloating(false);
        window_.addDockWidget(area, first);
        first->show();
    }
    for (auto& [name, panel] : panels_) {
        QDockWidget* first = first_.at(panel.area);
        if (first != panel.dock) {
            panel.dock->setFloating(false);
            window_.addDockWidget(panel.area, panel.dock);
            window_.tabifyDockWidget(first, panel.dock);
            panel.dock->show();
        }
    }
    for (auto& [area, first] : first_) {
        first->raise();
    }
    // Sizes hold once the docks have been laid out.
    QMetaObject::invokeMethod(this, &Panels::giveFirstSizes, Qt::QueuedConnection);
}

void Panels::giveFirstSizes() {
    QDockWidget* left = first_.at(Qt::LeftDockWidgetArea);
    QDockWidget* right = first_.at(Qt::RightDockWidgetArea);
    window_.resizeDocks(
        {left, right}, {Theme::space(kLeftWidth), Theme::space(kRightWidth)}, Qt::Horizontal);
    window_.resizeDocks(
        {first_.at(Qt::BottomDockWidgetArea)}, {Theme::space(kRowHeight)}, Qt::Vertical);
}

}  // namespace lowtide::ui
