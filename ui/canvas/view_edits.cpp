// GraphView's steps on what is selected, its clipboard (graphs as text, files, images, and what
// is none of these), frames, notes and bends of wires.
#include "plugin/base/error.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/canvas/view_menu.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/clipboard.hpp"
#include "ui/document/comfy_workflow.hpp"
#include "ui/language/module_texts.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QMimeData>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kTipAside = 16;   ///< the tip stands below the left edge of the node
constexpr double kOffset = 32;  ///< how far a duplicate lies from what it came from

QPointF offsetFromSelected(const GraphScene& scene) {
    QRectF bounds;
    for (const std::string& id : scene.selectedNodes()) {
        bounds |= scene.node(id)->bodyInScene();
    }
    return bounds.topLeft() + QPointF(kOffset, kOffset);
}

/// The text without the wires that come from nodes which it does not hold.
std::string withoutIncoming(const std::string& text) {
    graph::Document document = graph::parseDocument(text);
    std::erase_if(document.links, [&document](const graph::Link& link) {
        return !document.nodes.contains(link.from.node);
    });
    return graph::toText(document);
}

std::optional<ComfyWorkflow> comfyWorkflowIn(const QMimeData& data) {
    std::optional<ComfyWorkflow> workflow = comfyWorkflow(data.text().toStdString());
    return workflow || !data.hasHtml() ? workflow : comfyWorkflow(data.html().toStdString());
}

constexpr double kFramePadding = 24;
constexpr double kFrameTitle = 48;  ///< title and space below it

Point roundedPoint(QPointF point) {
    return {std::round(point.x()), std::round(point.y())};
}

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

void GraphView::duplicate() {
    if (const NodeIds ids = selectedNodes(); !ids.empty()) {
        parts_->insertText(copyText(parts_->model.document(), ids, false),
                           offsetFromSelected(parts_->scene),
                           tr("Duplicate"));
    }
}

void GraphView::duplicateWithWires() {
    if (const NodeIds ids = selectedNodes(); !ids.empty()) {
        parts_->insertText(copyText(parts_->model.document(), ids, true),
                           offsetFromSelected(parts_->scene),
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
        parts_->tip.report(tr("A node can be bypassed only where an input of the same type as an "
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
    parts_->tip.report({}, {});
    if (parts_->showsBypass && ids.size() == 1) {
        const NodeItem& item = *parts_->scene.node(*ids.begin());
        parts_->tip.report(bypassSentence(item.face()),
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

void GraphView::Parts::insertText(const std::string& text, QPointF at, const QString& step) {
    NodeIds fresh;
    model.apply(step, [&](graph::Document& document) {
        fresh =
            pasteText(document, model.catalog(), text, {std::round(at.x()), std::round(at.y())});
    });
    scene.select(fresh);
}

void GraphView::Parts::pasteGraph(const QMimeData& data, QPointF at, bool withWires) {
    const std::string text = data.text().toStdString();
    withWires ? insertText(text, at, GraphView::tr("Paste with wires"))
              : insertText(withoutIncoming(text), at, GraphView::tr("Paste"));
}

void GraphView::Parts::paste(bool withWires) {
    const QMimeData* data = QGuiApplication::clipboard()->mimeData();
    const QPointF at = view.mapToScene(pointerOrMiddle());
    bool hasFile = false;
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile()) {
            hasFile = true;
            Q_EMIT view.fileDropped(url.toLocalFile(), at);
        }
    }
    if (hasFile) {
        return;
    }
    if (const std::optional<ComfyWorkflow> workflow = comfyWorkflowIn(*data)) {
        Q_EMIT view.pasteRefused(comfyRefusal(*workflow) + u' ' +
                                 comfyCounterparts(*workflow, model.catalog()));
        return;
    }
    try {
        pasteGraph(*data, at, withWires);
    } catch (const Error& error) {
        if (data->hasImage()) {
            Q_EMIT view.imagePasted(qvariant_cast<QImage>(data->imageData()), at);
        } else if (data->text().trimmed().isEmpty()) {
            Q_EMIT view.pasteRefused(
                GraphView::tr("The clipboard holds no nodes and no image to paste."));
        } else {
            Q_EMIT view.pasteRefused(
                GraphView::tr("The text in the clipboard is no graph: %1").arg(errorText(error)));
        }
    }
}

void GraphView::paste() {
    parts_->paste(false);
}

void GraphView::pasteWithWires() {
    parts_->paste(true);
}

void GraphView::frameSelected() {
    QRectF bounds;
    for (const std::string& id : selectedNodes()) {
        bounds |= parts_->scene.node(id)->bodyInScene();
    }
    if (bounds.isEmpty()) {
        return;
    }
    bounds.adjust(-kFramePadding, -kFrameTitle, kFramePadding, kFramePadding);
    std::string id;
    parts_->model.apply(tr("Frame"), [&](graph::Document& document) {
        id = putBox(document,
                    BoxKind::Frame,
                    {.text = tr("Frame").toStdString(),
                     .topLeft = roundedPoint(bounds.topLeft()),
                     .size = roundedPoint({bounds.width(), bounds.height()}),
                     .colour = "blue"});
    });
    parts_->texts.writeBox(BoxKind::Frame, id);
}

void GraphView::addNote() {
    const QPointF at = mapToScene(viewport()->rect().center());
    std::string id;
    parts_->model.apply(tr("Add note"), [&](graph::Document& document) {
        id = putBox(document, BoxKind::Note, {.topLeft = roundedPoint(at), .colour = "amber"});
    });
    parts_->texts.writeBox(BoxKind::Note, id);
}

void GraphView::renameSelected() {
    const NodeIds ids = selectedNodes();
    if (ids.size() == 1) {
        parts_->texts.renameNode(*ids.begin());
        return;
    }
    for (const BoxItem* box : parts_->scene.boxes()) {
        if (box->isSelected()) {
            parts_->texts.writeBox(box->kind(), box->box().id);
            return;
        }
    }
}

void GraphView::Parts::toggleBoxFold(const BoxItem& item) {
    ui::Box box = item.box();
    box.isCollapsed = !box.isCollapsed;
    const BoxKind kind = item.kind();
    model.apply(GraphView::tr("Collapse"),
                [&](graph::Document& document) { putBox(document, kind, box); });
}

void GraphView::Parts::toggleReroute(size_t index, int reroute, QPointF at) {
    const Wire wire = scene.wires().wires().at(index);
    std::vector<Point> points;
    for (const QPointF& point : wire.via) {
        points.push_back({point.x(), point.y()});
    }
    if (reroute >= 0) {
        points.erase(points.begin() + reroute);
    } else {
        const size_t before = positionOnWire(wire.start, wire.end, wire.via, at);
        points.insert(points.begin() + static_cast<std::ptrdiff_t>(before), roundedPoint(at));
    }
    model.apply(reroute >= 0 ? GraphView::tr("Straighten wire") : GraphView::tr("Bend wire"),
                [&](graph::Document& document) { setReroutes(document, wire.to, points); });
}

}  // namespace lowtide::ui
