#include "ui/studio/tab_order.hpp"

#include <QGridLayout>
#include <QLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QWidget>

#include <algorithm>
#include <vector>

namespace lowtide::ui {

namespace {

using Stops = std::vector<QWidget*>;

void addStops(QWidget& widget, Stops& stops);

/// A grid's items row by row, others as they were added.
std::vector<QLayoutItem*> itemsInSight(QLayout& layout) {
    struct Placed {
        QLayoutItem* item;
        std::pair<int, int> place;
    };

    const auto* grid = qobject_cast<const QGridLayout*>(&layout);
    std::vector<Placed> placed;
    for (int i = 0; i < layout.count(); ++i) {
        int row = 0, column = 0, rows = 0, columns = 0;
        if (grid) {
            grid->getItemPosition(i, &row, &column, &rows, &columns);
        }
        placed.push_back({layout.itemAt(i), {row, column}});
    }
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& one, const Placed& other) {
        return one.place < other.place;
    });
    std::vector<QLayoutItem*> items;
    for (const Placed& each : placed) {
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
    } else {  // its own resizing places what it holds: the inside of a ScrolledPart
        for (QWidget* child :
             widget.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            addStops(*child, stops);
        }
    }
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
        if (std::find(stops.begin(), stops.end(), each) == stops.end()) {
            stops.push_back(each);
        }
    }
    std::erase_if(stops, [&root](const QWidget* each) {
        return !isStop(*each) || each->window() != root.window();
    });
    return stops;
}

}  // namespace lowtide::ui
