// GraphView's clipboard: graphs as text, files, pictures, and what is none of these.
#include "plugin/base/error.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/document/clipboard.hpp"
#include "ui/document/comfy_workflow.hpp"
#include "ui/language/module_texts.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QMimeData>
#include <QUrl>

#include <cmath>

namespace lowtide::ui {

namespace {

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

}  // namespace

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
            Q_EMIT view.picturePasted(qvariant_cast<QImage>(data->imageData()), at);
        } else if (data->text().trimmed().isEmpty()) {
            Q_EMIT view.pasteRefused(
                GraphView::tr("The clipboard holds no nodes and no picture to paste."));
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

}  // namespace lowtide::ui
