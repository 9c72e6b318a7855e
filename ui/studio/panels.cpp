#include "ui/studio/panels.hpp"

#include "plugin/base/error.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QApplication>
#include <QEvent>
#include <QGridLayout>
#include <QLayout>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QWidget>

#include <algorithm>
#include <tuple>

namespace lowtide::ui {

namespace {

using Stops = std::vector<QWidget*>;

void addStops(QWidget& widget, Stops& stops);

/// A grid's items row by row, others as they were added.
std::vector<QLayoutItem*> itemsInSight(QLayout& layout) {
    struct Positioned {
        QLayoutItem* item;
        std::pair<int, int> target;
    };

    const auto* grid = qobject_cast<const QGridLayout*>(&layout);
    std::vector<Positioned> positioned;
    for (int i = 0; i < layout.count(); ++i) {
        int row = 0, column = 0, rows = 0, columns = 0;
        if (grid) {
            grid->getItemPosition(i, &row, &column, &rows, &columns);
        }
        positioned.push_back({layout.itemAt(i), {row, column}});
    }
    std::ranges::stable_sort(positioned, [](const Positioned& one, const Positioned& other) {
        return one.target < other.target;
    });
    std::vector<QLayoutItem*> items;
    for (const Positioned& each : positioned) {
        items.push_back(each.item);
    }
    return items;
}

void addStops(QLayout& layout, Stops& stops) {
    for (QLayoutItem* item : itemsInSight(layout)) {
        if (QWidget* widget = item->widget()) {
            addStops(*widget, stops);
        } else if (QLayout* inner = item->layout()) {
            addStops(*inner, stops);
        }
    }
}

void addStops(QWidget& widget, Stops& stops) {
    stops.push_back(&widget);
    const auto* area = qobject_cast<const QScrollArea*>(&widget);
    const auto* splitter = qobject_cast<const QSplitter*>(&widget);
    const auto* tabs = qobject_cast<const QTabWidget*>(&widget);
    if (area && area->widget()) {
        addStops(*area->widget(), stops);
    } else if (tabs) {
        addStops(*tabs->tabBar(), stops);
        for (int i = 0; i < tabs->count(); ++i) {
            addStops(*tabs->widget(i), stops);
        }
    } else if (splitter) {
        for (int i = 0; i < splitter->count(); ++i) {
            addStops(*splitter->widget(i), stops);
        }
    } else if (QLayout* layout = widget.layout()) {
        addStops(*layout, stops);
    } else {  // its own resizing lays out what it holds: the inside of a ScrolledPart
        for (QWidget* child :
             widget.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            addStops(*child, stops);
        }
    }
}

/// Pixels that an area has at first: columns next to the canvas, the row below it.
constexpr int kLeftWidth = 75;  // in steps of the rhythm
constexpr int kRightWidth = 92;
constexpr int kRowHeight = 40;
constexpr int kLeastPanel = Theme::space(19);  ///< pixels; below its own size a panel scrolls

/// Of the window's width, what each column takes at most for what its panels hold. The rest lets a
/// user make the window narrower, which these follow.
constexpr double kLeftFraction = 0.25;
constexpr double kRightFraction = 0.264;
constexpr double kMiddleFraction = 0.25;
constexpr int kWidthStep = 8;  ///< pixels of the window

double fractionOf(Qt::DockWidgetArea area) {
    return area == Qt::LeftDockWidgetArea    ? kLeftFraction
           : area == Qt::RightDockWidgetArea ? kRightFraction
                                             : kMiddleFraction;
}

constexpr int kUntilDropped = 100;  // milliseconds

/// Qt keeps the dock of a tab as its address.
const void* dockOf(const QTabBar& bar, int tab) {
    return reinterpret_cast<const void*>(bar.tabData(tab).value<quintptr>());
}

/// Tab does it by itself; a widget that is given the focus may lie out of sight.
void scrollTo(QWidget& widget) {
    for (QWidget* each = widget.parentWidget(); each != nullptr; each = each->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(each)) {
            area->ensureWidgetVisible(&widget);
        }
    }
}

/// Where keys would go first; nullptr: nothing takes any. A panel may name it by its focus proxy.
QWidget* firstForKeys(QWidget* root) {
    if (const auto* dock = qobject_cast<QDockWidget*>(root)) {
        const auto* part = qobject_cast<ScrolledPart*>(dock->widget());
        QWidget* const wanted = part != nullptr ? part->content()->focusProxy() : nullptr;
        if (wanted != nullptr && isStop(*wanted)) {
            return wanted;
        }
        const std::vector<QWidget*> stops = stopsInSight(*root);
        return stops.empty() ? nullptr : stops.front();
    }
    if (root->focusProxy() == nullptr && (root->focusPolicy() & Qt::TabFocus) == Qt::TabFocus) {
        return root;
    }
    QWidget* const first = root->nextInFocusChain();
    for (QWidget* each = first; each != nullptr && each != root; each = each->nextInFocusChain()) {
        if (isStop(*each) && root->isAncestorOf(each)) {
            return each;
        }
        if (each->nextInFocusChain() == first) {
            break;
        }
    }
    return nullptr;
}

}  // namespace

bool isStop(const QWidget& widget) {
    return (widget.focusPolicy() & Qt::TabFocus) == Qt::TabFocus && !widget.focusProxy() &&
           widget.isVisible() && widget.isEnabled();
}

std::vector<QWidget*> stopsInSight(QWidget& root) {
    Stops stops;
    addStops(root, stops);
    for (QWidget* each : root.findChildren<QWidget*>()) {  // what no layout shows comes last
        if (std::ranges::find(stops, each) == stops.end()) {
            stops.push_back(each);
        }
    }
    std::erase_if(stops, [&root](const QWidget* each) {
        return !isStop(*each) || each->window() != root.window();
    });
    return stops;
}

Panels::Panels(QMainWindow& window)
    : QObject(&window),
      window_(window),
      menu_(named("panelMenu", new QMenu(tr("&This panel"), &window))) {
    // Grouped dragging lets a tab be dragged out of its bar.
    window_.setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks |
                           QMainWindow::GroupedDragging);
    window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window_.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window_.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    window_.installEventFilter(this);
    names_.setSingleShot(true);
    connect(&names_, &QTimer::timeout, this, &Panels::showNames);
    connect(menu_, &QMenu::aboutToShow, this, [this] { fillMenu(*menu_, current_); });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (QDockWidget* dock = dockAround(now)) {
            current_ = dock;
            left_[dock] = now;
        } else if (QWidget* centre = window_.centralWidget();
                   centre != nullptr && now != nullptr && centre->isAncestorOf(now)) {
            left_[centre] = now;
        }
    });
}

Panels::~Panels() {
    delete menu_;
}

void Panels::add(const char* name, const QString& title, QWidget* panel, Qt::DockWidgetArea area) {
    auto* dock = named(name, new QDockWidget(title, &window_));
    auto* scrolled = new ScrolledPart(panel, dock);
    scrolled->setLeast(QSize(kLeastPanel, kLeastPanel));
    dock->setWidget(scrolled);
    panels_.emplace(name, Panel{dock, scrolled, area});
    window_.addDockWidget(area, dock);
    const auto [first, isFirst] = first_.emplace(area, dock);
    if (!isFirst) {
        window_.tabifyDockWidget(first->second, dock);
        first->second->raise();
    }
    connect(dock, &QDockWidget::visibilityChanged, this, [this, dock](bool isVisible) {
        Q_EMIT shownChanged(dock->objectName(), isVisible);
    });
    connect(dock, &QDockWidget::visibilityChanged, this, &Panels::showNamesSoon);
    connect(dock, &QDockWidget::topLevelChanged, this, &Panels::showNamesSoon);
    connect(dock, &QDockWidget::dockLocationChanged, this, &Panels::showNamesSoon);
    connect(dock, &QDockWidget::dockLocationChanged, this, &Panels::limitWidths);
    connect(dock, &QDockWidget::topLevelChanged, this, &Panels::limitWidths);
    limitWidths();
    current_ = first_.begin()->second;
}

/// A window that was not shown yet may be larger than its screen.
void Panels::limitWidths() {
    const int available = window_.screen()->availableSize().width();
    const int shown = window_.isVisible() ? window_.width() : std::min(window_.width(), available);
    const int width = shown / kWidthStep * kWidthStep;
    for (auto& [name, panel] : panels_) {
        const double fraction = fractionOf(window_.dockWidgetArea(panel.dock));
        const int most = panel.dock->isFloating() ? available : static_cast<int>(width * fraction);
        panel.content->setLeast(QSize(std::max(most, kLeastPanel), kLeastPanel));
    }
}

bool Panels::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &window_ && (event->type() == QEvent::Resize || event->type() == QEvent::Show)) {
        limitWidths();
    }
    return QObject::eventFilter(watched, event);
}

void Panels::showNamesSoon() {
    names_.start(0);
}

bool Panels::isTabbed(QDockWidget* dock) const {
    const QList<QDockWidget*> others = window_.tabifiedDockWidgets(dock);
    return !dock->isFloating() &&
           std::ranges::any_of(others, [](QDockWidget* other) { return !other->isHidden(); });
}

/// A tab has the name already, so the title above the panel goes.
void Panels::showNames() {
    if (QApplication::mouseButtons() != Qt::NoButton) {
        names_.start(kUntilDropped);  // a dock that is dragged keeps what it is held by
        return;
    }
    for (auto& [name, panel] : panels_) {
        QWidget* title = panel.dock->titleBarWidget();
        if (const bool isNamed = isTabbed(panel.dock); isNamed && !title) {
            panel.dock->setTitleBarWidget(new QWidget(panel.dock));
        } else if (!isNamed && title) {
            panel.dock->setTitleBarWidget(nullptr);
            title->deleteLater();
        }
    }
    takeTabs();
}

/// The window makes the bars of its docks as it needs them.
void Panels::takeTabs() {
    for (QTabBar* bar : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (bar->contextMenuPolicy() == Qt::CustomContextMenu) {
            continue;
        }
        bar->setContextMenuPolicy(Qt::CustomContextMenu);
        bar->setFocusPolicy(Qt::TabFocus);
        connect(bar, &QWidget::customContextMenuRequested, this, [this, bar](const QPoint& at) {
            // A key asks in the middle of the bar, and means the tab that is in front.
            const bool isKey =
                bar->hasFocus() && (at - bar->rect().center()).manhattanLength() <= 1;
            const int pressed = isKey ? -1 : bar->tabAt(at);
            const int tab = pressed >= 0 ? pressed : bar->currentIndex();
            for (auto& [name, panel] : panels_) {
                if (dockOf(*bar, tab) == panel.dock) {
                    QMenu menu(&window_);
                    menu.setObjectName(QStringLiteral("tabMenu"));
                    fillMenu(menu, panel.dock);
                    menu.exec(bar->mapToGlobal(pressed >= 0 ? at : bar->tabRect(tab).center()));
                    return;
                }
            }
        });
    }
}

void Panels::fillMenu(QMenu& menu, QDockWidget* dock) {
    menu.clear();
    if (!dock) {
        return;
    }
    QAction* float_ =
        menu.addAction(dock->isFloating() ? tr("&Back into the window") : tr("&Out of the window"));
    connect(float_, &QAction::triggered, dock, [dock] { dock->setFloating(!dock->isFloating()); });
    menu.addSeparator();
    const std::pair<QString, Qt::DockWidgetArea> widgets[] = {
        {tr("To the &left"), Qt::LeftDockWidgetArea},
        {tr("To the &right"), Qt::RightDockWidgetArea},
        {tr("To the &bottom"), Qt::BottomDockWidgetArea}};
    for (const auto& [text, area] : widgets) {
        QAction* move = menu.addAction(text);
        move->setEnabled(dock->isFloating() || window_.dockWidgetArea(dock) != area);
        connect(move, &QAction::triggered, this, [this, dock, area = area] { moveTo(dock, area); });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("&Close %1").arg(dock->windowTitle())),
            &QAction::triggered,
            dock,
            &QDockWidget::close);
}

/// Behind what lies there already, and in front of it.
void Panels::moveTo(QDockWidget* dock, Qt::DockWidgetArea area) {
    QDockWidget* there = nullptr;
    for (auto& [name, panel] : panels_) {
        const bool isThere = !panel.dock->isFloating() && !panel.dock->isHidden() &&
                             window_.dockWidgetArea(panel.dock) == area;
        there = isThere && panel.dock != dock ? panel.dock : there;
    }
    dock->setFloating(false);
    window_.addDockWidget(area, dock);
    if (there) {
        window_.tabifyDockWidget(there, dock);
    }
    dock->show();
    dock->raise();
}

QDockWidget* Panels::dockAround(QWidget* widget) const {
    for (; widget; widget = widget->parentWidget()) {
        auto* dock = qobject_cast<QDockWidget*>(widget);
        if (dock && panels_.contains(dock->objectName().toStdString())) {
            return dock;
        }
    }
    return nullptr;
}

void Panels::show(const std::string& name) {
    const auto found = panels_.find(name);
    LOWTIDE_ASSERT(found != panels_.end());
    QDockWidget* dock = found->second.dock;
    dock->show();
    dock->raise();
    QWidget* keys = forKeys(dock);
    (keys != nullptr ? keys : dock->widget())->setFocus(Qt::ShortcutFocusReason);
    scrollTo(keys != nullptr ? *keys : *dock->widget());
    current_ = dock;
}

/// From left to right, those in one column from top to bottom.
std::vector<QWidget*> Panels::inSight() const {
    std::vector<QWidget*> widgets = {window_.centralWidget()};
    for (const auto& [name, panel] : panels_) {
        if (isShown(name)) {
            widgets.push_back(panel.dock);
        }
    }
    std::ranges::sort(widgets, [this](const QWidget* one, const QWidget* other) {
        const QPoint a = one->mapTo(one->window(), QPoint());
        const QPoint b = other->mapTo(other->window(), QPoint());
        return std::tuple(one->isWindow(), a.x(), a.y()) <
               std::tuple(other->isWindow(), b.x(), b.y());
    });
    return widgets;
}

/// Where keys were last in this area; else where they would go first; nullptr: nowhere.
QWidget* Panels::forKeys(QWidget* area) const {
    QWidget* before = left_.value(area);
    const bool isUsable = before != nullptr && before->isVisible() && before->isEnabled() &&
                          before->focusPolicy() != Qt::NoFocus && area->isAncestorOf(before);
    return isUsable ? before : firstForKeys(area);
}

/// A panel has its place in Qt's order where its dock has it; whatever of it comes elsewhere there
/// is passed over.
bool Panels::moveTab(bool isNext) {
    QWidget* const focus = QApplication::focusWidget();
    if (focus == nullptr || focus->window() != &window_) {
        return false;
    }
    QDockWidget* const from = dockAround(focus);
    const auto give = [](QWidget* widget, Qt::FocusReason reason) {
        widget->setFocus(reason);
        scrollTo(*widget);
        return true;
    };
    const Qt::FocusReason reason = isNext ? Qt::TabFocusReason : Qt::BacktabFocusReason;
    if (from != nullptr) {
        const std::vector<QWidget*> stops = stopsInSight(*from);
        const auto at = std::ranges::find(stops, focus);
        if (isNext && at != stops.end() && at + 1 != stops.end()) {
            return give(*(at + 1), reason);
        }
        if (!isNext && at != stops.end() && at != stops.begin()) {
            return give(*(at - 1), reason);
        }
    }
    QWidget* const start = from != nullptr ? from : focus;
    const auto next = [isNext](QWidget* widget) {
        return isNext ? widget->nextInFocusChain() : widget->previousInFocusChain();
    };
    for (QWidget* each = next(start); each != start; each = next(each)) {
        QDockWidget* const dock = dockAround(each);
        const bool isSeen = dock == each && isShown(dock->objectName().toStdString());
        const std::vector<QWidget*> stops = isSeen ? stopsInSight(*dock) : std::vector<QWidget*>();
        if (!stops.empty()) {
            return give(isNext ? stops.front() : stops.back(), reason);
        }
        if (dock == nullptr && each->window() == &window_ && isStop(*each)) {
            return give(each, reason);
        }
    }
    return false;
}

void Panels::moveFocus(int step) {
    const std::vector<QWidget*> widgets = inSight();
    const auto count = static_cast<int>(widgets.size());
    QWidget* focus = QApplication::focusWidget();
    int at = step > 0 ? -1 : count;
    for (int i = 0; i < count; ++i) {
        QWidget* area = widgets[static_cast<size_t>(i)];
        if (focus != nullptr && area->isAncestorOf(focus)) {
            at = i;
        }
    }
    for (int i = 1; i <= count; ++i) {
        QWidget* area = widgets[static_cast<size_t>(((at + step * i) % count + count) % count)];
        if (QWidget* next = forKeys(area); next != nullptr) {
            next->window()->activateWindow();
            next->setFocus(Qt::TabFocusReason);
            scrollTo(*next);
            return;
        }
    }
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

/// Sizes hold once the docks have been laid out, those in tabs without their titles.
bool Panels::restore(const QByteArray& state) {
    if (!window_.restoreState(state)) {
        return false;
    }
    showNames();
    QTimer::singleShot(0, this, [this, state] { window_.restoreState(state); });
    return true;
}

void Panels::hideAll() {
    for (auto& [name, panel] : panels_) {
        panel.dock->hide();
    }
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
