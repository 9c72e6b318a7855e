#include "ui/canvas/element_names.hpp"

#include "ui/canvas/node_texts.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

class ElementWords {
    Q_DECLARE_TR_FUNCTIONS(ElementWords)
};

}  // namespace

QString nodeName(const GraphScene& scene, const std::string& node) {
    const NodeItem* item = scene.node(node);
    return item == nullptr ? QString::fromStdString(node) : item->face().title;
}

QString portName(const GraphScene& scene, const graph::PortRef& port, bool isOutput) {
    const NodeItem* item = scene.node(port.node);
    const std::vector<PortFace>* ports = item == nullptr ? nullptr
                                         : isOutput      ? &item->face().outputs
                                                         : &item->face().inputs;
    const int index = ports == nullptr ? -1
                      : isOutput       ? item->face().outputIndex(port.port)
                                       : item->face().inputIndex(port.port);
    return index < 0 ? QString::fromStdString(port.port)
                     : ports->at(static_cast<size_t>(index)).label;
}

QString endName(const GraphScene& scene, const graph::PortRef& port, bool isOutput) {
    return ElementWords::tr("%1, %2", "node, port")
        .arg(nodeName(scene, port.node), portName(scene, port, isOutput));
}

QString activityText(const NodeStatus& status) {
    switch (status.activity) {
        case NodeActivity::Waiting:
            return ElementWords::tr("Waits for its turn.");
        case NodeActivity::Running:
            return status.phase.isEmpty() ? ElementWords::tr("Running.")
                                          : ElementWords::tr("Running: %1.").arg(status.phase);
        case NodeActivity::Finished:
            return status.milliseconds > 0
                       ? ElementWords::tr("Finished in %1.").arg(shortDuration(status.milliseconds))
                       : ElementWords::tr("Finished.");
        case NodeActivity::Cached:
            return ElementWords::tr("Up to date: its result was kept.");
        case NodeActivity::Failed:
            return ElementWords::tr("Failed.");
        case NodeActivity::Idle:
            break;
    }
    return {};
}

QString linesOf(const QStringList& parts) {
    QStringList kept = parts;
    kept.removeAll(QString());
    return kept.join(u'\n');
}

}  // namespace lowtide::ui
