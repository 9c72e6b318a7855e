#include "ui/panels/inspector.hpp"

#include "plugin/base/units.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/panels/inspector_graph.hpp"
#include "ui/panels/inspector_help.hpp"
#include "ui/panels/inspector_params.hpp"
#include "ui/panels/inspector_sections.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QLabel>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

QLabel* labelIn(QWidget* parent, const char* name, const char* role) {
    auto* label = new QLabel(parent);
    label->setObjectName(QString::fromLatin1(name));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setFont(Theme::current().font(role));
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// Why nothing can be edited here, and what becomes of the node.
QString placeholderText(const graph::DocumentNode& node) {
    return Inspector::tr(
               "The node type “%1” is not installed here.\n\nThe node keeps its values "
               "and wires, and they are saved again as they are. The graph cannot run "
               "until the type is there, or the node is muted, bypassed or removed.")
        .arg(QString::fromStdString(node.type));
}

QString countText(size_t nodes) {
    return Inspector::tr("%n nodes", nullptr, static_cast<int>(nodes));
}

QString statusText(const NodeStatus& status) {
    QStringList parts;
    if (status.milliseconds > 0) {
        parts << Inspector::tr("%L1 s").arg(status.milliseconds / 1000, 0, 'f', 2);
    }
    if (status.peakBytes > 0) {
        parts << Inspector::tr("peak %1").arg(bytesText(static_cast<Bytes>(status.peakBytes)));
    } else if (status.plannedBytes > 0) {
        parts << Inspector::tr("will hold %1")
                     .arg(bytesText(static_cast<Bytes>(status.plannedBytes)));
    }
    return parts.join(QStringLiteral(" · ")) +
           (status.lossy.isEmpty() ? QString()
                                   : QStringLiteral("\n") + status.lossy.join(QLatin1Char('\n')));
}

}  // namespace

struct Inspector::Parts {
    GraphModel& model;
    NodeStatuses& statuses;
    std::vector<std::string> nodes;
    QLabel* title = nullptr;
    QLabel* detail = nullptr;
    QLabel* placeholder = nullptr;
    QTabWidget* tabs = nullptr;
    InspectorGraph* graph = nullptr;
    InspectorParams* params = nullptr;
    InspectorSections* sections = nullptr;
    InspectorHelp* help = nullptr;

    /// Whether every selected node is of a known type.
    [[nodiscard]] bool areKnown() const {
        return std::all_of(nodes.begin(), nodes.end(), [this](const std::string& node) {
            return model.desc(node) != nullptr;
        });
    }
};

Inspector::Inspector(GraphModel& model,
                     NodeStatuses& statuses,
                     Planning& planning,
                     const OfferedFiles* offered,
                     QWidget* parent)
    : QWidget(parent), parts_(new Parts{.model = model, .statuses = statuses, .nodes = {}}) {
    setObjectName(QStringLiteral("inspector"));
    Parts& parts = *parts_;
    auto* values = new QWidget(this);
    auto* column = new QVBoxLayout(values);
    column->setContentsMargins(Theme::space(3), Theme::space(3), Theme::space(3), Theme::space(3));
    column->setSpacing(Theme::space(3));
    parts.title = labelIn(values, "title", "title");
    parts.detail = labelIn(values, "detail", "small");
    parts.detail->setForegroundRole(QPalette::PlaceholderText);
    parts.placeholder = labelIn(values, "placeholder", "body");
    parts.graph = new InspectorGraph(model, values);
    parts.params = new InspectorParams(model, statuses, offered, values);
    parts.sections = new InspectorSections(model, planning, values);
    const std::initializer_list<QWidget*> rows = {
        parts.title, parts.detail, parts.placeholder, parts.graph, parts.params, parts.sections};
    for (QWidget* row : rows) {
        column->addWidget(row);
    }
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("inspectorScroll"));
    scroll->setFocusPolicy(Qt::NoFocus);  // its fields take the keys
    scroll->setWidget(values);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    parts.help = new InspectorHelp(this);
    parts.tabs = new QTabWidget(this);
    parts.tabs->setDocumentMode(true);
    parts.tabs->addTab(scroll, tr("Values"));
    parts.tabs->addTab(parts.help, tr("Help"));
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(parts.tabs);
    connect(&model, &GraphModel::changed, this, &Inspector::take);
    connect(&statuses, &NodeStatuses::allChanged, this, [this] {
        refreshHeader();
        parts_->params->refresh();
    });
    connect(&statuses, &NodeStatuses::changed, this, [this](const std::string& node) {
        if (!parts_->nodes.empty() && parts_->nodes.front() == node) {
            refreshHeader();
        }
    });
    connect(&planning, &Planning::answered, parts.sections, &InspectorSections::refresh);
    rebuild();
}

Inspector::~Inspector() = default;

void Inspector::setDevices(const std::vector<std::string>& devices) {
    parts_->graph->setDevices(devices);
    parts_->sections->setDevices(devices);
}

void Inspector::setHelpFolder(const QString& folder) {
    parts_->help->setFolder(folder);
    rebuild();
}

void Inspector::showNodes(const std::set<std::string>& nodes) {
    const std::vector<std::string> wanted(nodes.begin(), nodes.end());
    if (wanted != parts_->nodes) {
        EditSession::commit(this);  // it is of the nodes that were shown
        parts_->nodes = wanted;
        rebuild();
    }
}

void Inspector::showHelp() {
    parts_->tabs->setCurrentIndex(1);
}

void Inspector::showValues(const std::string& param) {
    parts_->tabs->setCurrentIndex(0);
    if (!param.empty()) {
        parts_->params->focusParam(param);
    }
}

void Inspector::offerSheets() {
    parts_->params->offerSheets();
    parts_->sections->offerSheets();
    connect(parts_->params, &InspectorParams::varyAsked, this, &Inspector::varyAsked);
    connect(parts_->sections, &InspectorSections::varyAsked, this, &Inspector::varyAsked);
    rebuild();
}

std::pair<std::string, std::string> Inspector::focused() const {
    const std::string param = parts_->params->focusedParam();
    return param.empty() ? std::pair<std::string, std::string>()
                         : std::pair(parts_->nodes.front(), param);
}

void Inspector::rebuild() {
    Parts& parts = *parts_;
    std::erase_if(parts.nodes,
                  [&](const std::string& node) { return parts.model.node(node) == nullptr; });
    const bool isGraph = parts.nodes.empty();
    const bool isKnown = !isGraph && parts.areKnown();
    parts.graph->setVisible(isGraph);
    parts.graph->refresh();
    parts.params->setVisible(isKnown);
    parts.placeholder->setVisible(!isGraph && !isKnown);
    const std::vector<std::string> edited = isKnown ? parts.nodes : std::vector<std::string>();
    parts.params->setNodes(edited);
    parts.sections->setNodes(edited);
    if (isGraph) {
        parts.help->showText(
            tr("# The graph\n\nSelect a node to read what it does. What is set here applies to "
               "every node without a setting of its own."));
    } else if (isKnown) {
        parts.help->showNode(*parts.model.desc(parts.nodes.front()));
    } else {
        const auto unknown =
            std::find_if(parts.nodes.begin(), parts.nodes.end(), [&](const std::string& node) {
                return parts.model.desc(node) == nullptr;
            });
        const QString text = placeholderText(*parts.model.node(*unknown));
        parts.placeholder->setText(text);
        parts.help->showText(text);
    }
    refreshHeader();
}

void Inspector::refreshHeader() {
    Parts& parts = *parts_;
    if (parts.nodes.empty()) {
        parts.title->setText(tr("Graph"));
        parts.detail->setText(countText(parts.model.document().nodes.size()));
        return;
    }
    if (parts.nodes.size() > 1) {
        parts.title->setText(countText(parts.nodes.size()));
        parts.detail->setText(tr("What they have in common; a change applies to all."));
        return;
    }
    const std::string& id = parts.nodes.front();
    const graph::DocumentNode* node = parts.model.node(id);
    if (!node) {
        return;  // removed; the selection follows in a moment
    }
    const NodeDesc* desc = parts.model.desc(id);
    parts.title->setText(nodeTitle(parts.model.document(), parts.model.catalog(), id));
    const QString status = statusText(parts.statuses.of(id));
    const QString kind = node->title && desc ? tr("%1, %2").arg(QString::fromStdString(desc->label),
                                                                QString::fromStdString(id))
                                             : QString::fromStdString(id);
    parts.detail->setText(status.isEmpty() ? kind : QStringLiteral("%1 · %2").arg(kind, status));
}

void Inspector::take(const Delta& delta) {
    Parts& parts = *parts_;
    const bool isGone = std::any_of(parts.nodes.begin(), parts.nodes.end(), [&](const auto& node) {
        return parts.model.node(node) == nullptr;
    });
    if (delta.reset) {
        parts.graph->forgetTyped();
    }
    if (delta.reset || isGone) {
        rebuild();
        return;
    }
    parts.graph->refresh();
    parts.params->refresh();
    if (delta.links || !delta.changed.empty()) {
        parts.sections->refresh();
    }
    refreshHeader();
}

}  // namespace lowtide::ui
