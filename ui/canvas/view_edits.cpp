// GraphView's steps on what is selected.
#include "ui/canvas/bypass_preview.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/clipboard.hpp"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kTipAside = 16;   ///< the tip stands below the left edge of the node
constexpr double kBeside = 32;  ///< how far a duplicate lies from what it came from

}  // namespace

NodeSizes GraphView::Parts::nodeSizes() const {
    NodeSizes sizes;
    for (const auto& [id, node] : model.document().nodes) {
        if (const NodeItem* item = scene.node(id); item != nullptr) {
            sizes.emplace(id, Point{item->layout().body.width(), item->layout().body.height()});
        }
    }
    return sizes;
}

void GraphView::Parts::removeSelected(bool heal) {
    const NodeIds ids = scene.selectedNodes();
    std::vector<std::pair<BoxKind, std::string>> boxes;
    for (const BoxItem* box : scene.boxes()) {
        if (box->isSelected()) {
            boxes.emplace_back(box->kind(), box->box().id);
        }
    }
    const std::optional<graph::PortRef> wire = std::exchange(selectedWire, std::nullopt);
    model.apply(GraphView::tr("Delete"), [&](graph::Document& document) {
        removeNodes(document, model.catalog(), ids, heal);
        for (const auto& [kind, id] : boxes) {
            removeBox(document, kind, id);
        }
        if (wire) {
            ui::disconnect(document, *wire);
        }
    });
}

void GraphView::removeSelected() {
    parts_->removeSelected(false);
}

void GraphView::removeSelectedJoining() {
    parts_->removeSelected(true);
}

void GraphView::editSelected() {
    if (const NodeIds ids = selectedNodes(); ids.size() == 1) {
        parts_->rows.beginNext(*ids.begin(), 1);
    }
}

void GraphView::copy() {
    const NodeIds ids = selectedNodes();
    if (!ids.empty()) {
        QGuiApplication::clipboard()->setText(
            QString::fromStdString(copyText(parts_->model.document(), ids, true)));
    }
}

void GraphView::cut() {
    copy();
    removeSelected();
}

namespace {

QPointF besideSelected(const GraphScene& scene) {
    QRectF bounds;
    for (const std::string& id : scene.selectedNodes()) {
        bounds |= scene.node(id)->bodyInScene();
    }
    return bounds.topLeft() + QPointF(kBeside, kBeside);
}

}  // namespace

void GraphView::duplicate() {
    if (const NodeIds ids = selectedNodes(); !ids.empty()) {
        parts_->insertText(copyText(parts_->model.document(), ids, false),
                           besideSelected(parts_->scene),
                           tr("Duplicate"));
    }
}

void GraphView::duplicateWithWires() {
    if (const NodeIds ids = selectedNodes(); !ids.empty()) {
        parts_->insertText(copyText(parts_->model.document(), ids, true),
                           besideSelected(parts_->scene),
                           tr("Duplicate with wires"));
    }
}

void GraphView::muteSelected() {
    parts_->model.apply(tr("Mute"), [ids = selectedNodes()](graph::Document& document) {
        toggleMode(document, ids, graph::NodeMode::Muted);
    });
}

NodeIds GraphView::Parts::bypassable() const {
    NodeIds ids = scene.selectedNodes();
    const graph::Document& document = model.document();
    std::erase_if(ids, [&](const std::string& id) {
        const auto node = document.nodes.find(id);  // while nodes go, one may be chosen still
        return node == document.nodes.end() || (!canBypass(document, model.catalog(), id) &&
                                                node->second.mode != graph::NodeMode::Bypassed);
    });
    return ids;
}

bool GraphView::canBypassSelected() const {
    return !parts_->bypassable().empty();
}

void GraphView::bypassSelected() {
    const NodeIds ids = parts_->bypassable();
    if (ids.empty() && !selectedNodes().empty()) {
        parts_->tip.say(tr("A node can be bypassed only where an input of the same type as an "
                           "output can be passed on."),
                        parts_->pointerOrMiddle());
        return;
    }
    parts_->model.apply(tr("Bypass"), [&ids](graph::Document& changed) {
        toggleMode(changed, ids, graph::NodeMode::Bypassed);
    });
}

void GraphView::showBypassPreview(bool isShown) {
    const NodeIds ids = parts_->bypassable();
    const auto isBypassed = [this](const std::string& id) {
        return parts_->model.document().nodes.at(id).mode == graph::NodeMode::Bypassed;
    };
    const bool isGain = !std::all_of(ids.begin(), ids.end(), isBypassed);
    if (std::exchange(parts_->showsBypass, isShown && isGain) == (isShown && isGain)) {
        return;
    }
    viewport()->update();
    parts_->tip.say({}, {});
    if (parts_->showsBypass && ids.size() == 1) {
        const NodeItem& item = *parts_->scene.node(*ids.begin());
        parts_->tip.say(bypassSentence(item.face()),
                        mapFromScene(item.bodyInScene().bottomLeft()) - QPoint(kTipAside, 0));
    }
}

void GraphView::collapseSelected() {
    const NodeIds ids = selectedNodes();
    parts_->model.apply(tr("Collapse"), [&](graph::Document& document) {
        const bool allAre = std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
            return isCollapsed(document.nodes.at(id));
        });
        for (const std::string& id : ids) {
            setCollapsed(document.nodes.at(id), !allAre);
        }
    });
}

void GraphView::pinSelected() {
    const NodeIds ids = selectedNodes();
    parts_->model.apply(tr("Pin"), [&](graph::Document& document) {
        const bool allAre = std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
            return isPinned(document.nodes.at(id));
        });
        for (const std::string& id : ids) {
            setPinned(document.nodes.at(id), !allAre);
        }
    });
}

void GraphView::alignSelected(int alignment) {
    parts_->model.apply(tr("Align"), [&](graph::Document& document) {
        align(document, selectedNodes(), parts_->nodeSizes(), static_cast<Alignment>(alignment));
    });
}

void GraphView::distributeSelected(int axis) {
    parts_->model.apply(tr("Distribute"), [&](graph::Document& document) {
        distribute(document, selectedNodes(), parts_->nodeSizes(), static_cast<Axis>(axis));
    });
}

void GraphView::arrangeNodes() {
    const NodeIds ids = selectedNodes();
    parts_->model.apply(tr("Arrange"), [&](graph::Document& document) {
        arrange(document, ids.size() > 1 ? ids : NodeIds(), parts_->nodeSizes());
    });
    if (ids.size() < 2) {
        zoomToAll();
    }
}

void GraphView::selectAllNodes() {
    NodeIds ids;
    for (const NodeItem* item : parts_->scene.shownNodes()) {
        ids.insert(item->id());
    }
    select(ids);
}

}  // namespace lowtide::ui
