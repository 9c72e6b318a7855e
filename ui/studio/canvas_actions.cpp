#include "ui/studio/canvas_actions.hpp"

#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/view_menu.hpp"
#include "ui/document/arrange.hpp"

#include <QMenu>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr std::pair<const char*, Alignment> kAlignments[] = {
    {"node.align_left", Alignment::Left},
    {"node.align_centre", Alignment::Centre},
    {"node.align_right", Alignment::Right},
    {"node.align_top", Alignment::Top},
    {"node.align_middle", Alignment::Middle},
    {"node.align_bottom", Alignment::Bottom}};

constexpr std::pair<const char*, Axis> kAxes[] = {{"node.distribute_x", Axis::Horizontal},
                                                  {"node.distribute_y", Axis::Vertical}};

/// Keys that mean something else in a field or a list are pressed on the canvas itself.
void giveKeys(const Actions& actions, GraphView& view) {
    for (const CanvasCommand& command : canvasCommands()) {
        view.setKeys(command.id, actions.at(command.id).shortcuts());
    }
}

}  // namespace

void connectCanvas(const Actions& actions, GraphView& view) {
    for (const CanvasCommand& command : canvasCommands()) {
        QObject::connect(&actions.at(command.id), &QAction::triggered, &view, [&view, &command] {
            command.act(view);
        });
    }
    giveKeys(actions, view);
    QObject::connect(
        &actions, &Actions::keysChanged, &view, [&actions, &view] { giveKeys(actions, view); });
    for (const auto& [id, alignment] : kAlignments) {
        QObject::connect(&actions.at(id), &QAction::triggered, &view, [&view, how = alignment] {
            view.alignSelected(static_cast<int>(how));
        });
    }
    for (const auto& [id, axis] : kAxes) {
        QObject::connect(&actions.at(id), &QAction::triggered, &view, [&view, along = axis] {
            view.distributeSelected(static_cast<int>(along));
        });
    }
    actions.at("view.snap").setChecked(true);
    QAction& bypass = actions.at("node.bypass");
    const auto offerBypass = [&bypass, &view] { bypass.setEnabled(view.canBypassSelected()); };
    offerBypass();
    QObject::connect(&view, &GraphView::selectionChanged, &bypass, offerBypass);
    for (const QObject* object : bypass.associatedObjects()) {
        if (const auto* menu = qobject_cast<const QMenu*>(object)) {
            previewBypass(*menu, bypass, view);
        }
    }
    QAction& minimap = actions.at("view.minimap");
    QObject::connect(&minimap, &QAction::triggered, &view, &GraphView::setMinimapShown);
    QObject::connect(&view, &GraphView::minimapShownChanged, &minimap, &QAction::setChecked);
    QObject::connect(&actions.at("view.snap"), &QAction::toggled, &view, &GraphView::setSnapping);
}

}  // namespace lowtide::ui
