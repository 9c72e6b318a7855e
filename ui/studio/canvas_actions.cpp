#include "ui/studio/canvas_actions.hpp"

#include "ui/canvas/graph_view.hpp"
#include "ui/document/arrange.hpp"

#include <utility>

namespace lowtide::ui {

namespace {

using Slot = void (GraphView::*)();

constexpr std::pair<const char*, Slot> kSlots[] = {
    {"edit.cut", &GraphView::cut},
    {"edit.copy", &GraphView::copy},
    {"edit.paste", &GraphView::paste},
    {"edit.paste_wires", &GraphView::pasteWithWires},
    {"edit.duplicate", &GraphView::duplicate},
    {"edit.duplicate_wires", &GraphView::duplicateWithWires},
    {"edit.delete", &GraphView::removeSelected},
    {"edit.select_all", &GraphView::selectAllNodes},
    {"node.add", &GraphView::openSearch},
    {"node.rename", &GraphView::renameSelected},
    {"node.mute", &GraphView::muteSelected},
    {"node.bypass", &GraphView::bypassSelected},
    {"node.collapse", &GraphView::collapseSelected},
    {"node.pin", &GraphView::pinSelected},
    {"node.frame", &GraphView::frameSelected},
    {"node.note", &GraphView::addNote},
    {"node.arrange", &GraphView::arrangeNodes},
    {"view.zoom_in", &GraphView::zoomIn},
    {"view.zoom_out", &GraphView::zoomOut},
    {"view.zoom_actual", &GraphView::zoomToActual},
    {"view.fit_selected", &GraphView::zoomToSelected},
    {"view.fit_all", &GraphView::zoomToAll},
};

constexpr std::pair<const char*, Alignment> kAlignments[] = {
    {"node.align_left", Alignment::Left},
    {"node.align_centre", Alignment::Centre},
    {"node.align_right", Alignment::Right},
    {"node.align_top", Alignment::Top},
    {"node.align_middle", Alignment::Middle},
    {"node.align_bottom", Alignment::Bottom}};

constexpr std::pair<const char*, Axis> kAxes[] = {{"node.distribute_x", Axis::Horizontal},
                                                  {"node.distribute_y", Axis::Vertical}};

}  // namespace

void connectCanvas(const Actions& actions, GraphView& view) {
    for (const auto& [id, slot] : kSlots) {
        QObject::connect(&actions.at(id), &QAction::triggered, &view, slot);
    }
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
    actions.at("view.minimap").setChecked(true);
    actions.at("view.snap").setChecked(true);
    QObject::connect(
        &actions.at("view.minimap"), &QAction::toggled, &view, &GraphView::setMinimapShown);
    QObject::connect(&actions.at("view.snap"), &QAction::toggled, &view, &GraphView::setSnapping);
    for (const ActionDesc& desc : actionTable()) {
        if (desc.scope == ActionScope::Canvas) {
            view.addAction(&actions.at(desc.id));
        }
    }
}

}  // namespace lowtide::ui
