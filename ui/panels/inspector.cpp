#include "ui/panels/inspector.hpp"

#include "plugin/base/units.hpp"
#include "ui/bridge/sheet_plan.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/inspector_parts.hpp"
#include "ui/panels/memory_settings.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QFile>
#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QTabWidget>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr qint64 kMostBytes = 1 << 20;

/// The description as a page, for a node without one of its own.
QString described(const NodeDesc& desc) {
    QString page =
        QStringLiteral("# %1\n\n%2\n\n")
            .arg(QString::fromStdString(desc.label), QString::fromStdString(desc.tooltip));
    for (const ParamDesc& param : desc.params) {
        page +=
            QStringLiteral("- **%1**: %2\n")
                .arg(QString::fromStdString(param.label), QString::fromStdString(param.tooltip));
    }
    return page;
}

constexpr int kUsualThreshold = 70;  ///< percent, as runs have it where the graph states none

QString statedText(const std::optional<std::string>& value) {
    return QString::fromStdString(value.value_or(std::string()));
}

std::optional<std::string> statedOf(const QString& text) {
    return text.isEmpty() ? std::nullopt : std::optional(text.toStdString());
}

/// Shows the stated value, also one that is not among the choices.
void choose(QComboBox& box, const QString& value) {
    const QSignalBlocker quiet(&box);
    if (box.findData(value) < 0) {
        box.addItem(deviceText(value.toStdString()), value);
    }
    box.setCurrentIndex(box.findData(value));
}

QLabel* labelIn(QWidget* parent, const char* name, const char* role) {
    QLabel* label = makeText({}, name, parent, role);
    label->setTextFormat(Qt::PlainText);
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

InspectorHelp::InspectorHelp(QWidget* parent) : HelpText(parent) {
    setObjectName(QStringLiteral("help"));
}

void InspectorHelp::setFolder(const QString& folder) {
    folder_ = folder;
}

void InspectorHelp::showNode(const NodeDesc& desc) {
    const QString page = QString::fromStdString(desc.id) + QStringLiteral(".md");
    QFile file(QStringLiteral("%1/%2/%3").arg(folder_, Language::code(), page));
    if (!file.exists()) {
        file.setFileName(QStringLiteral("%1/%2").arg(folder_, page));
    }
    const bool isThere = file.open(QIODevice::ReadOnly);
    showText(isThere ? QString::fromUtf8(file.read(kMostBytes)) : described(desc));
}

InspectorGraph::InspectorGraph(GraphModel& model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      budget_(named("budget", new QLineEdit(this))),
      budgetProblem_(makeText({}, "problem", this)),
      device_(named("device", new QComboBox(this))),
      lowMemory_(named("lowMemory", new QComboBox(this))),
      ownThreshold_(new QCheckBox(tr("Set here"), this)),
      threshold_(named("threshold", new QSpinBox(this))),
      exact_(named("exact", new QCheckBox(tr("Refuse every lossy choice"), this))) {
    setObjectName(QStringLiteral("inspectorGraph"));
    buildRows();
    connectRows();
    refresh();
}

void InspectorGraph::buildRows() {
    budget_->setPlaceholderText(tr("Free memory less 5 %"));
    budget_->setToolTip(tr("Most bytes that a run may hold on its device: 6GiB, 800MiB"));
    budgetProblem_->setForegroundRole(QPalette::BrightText);
    budgetProblem_->hide();
    device_->addItem(tr("Automatic"), QString());
    device_->setToolTip(tr("Where networks run, unless a node says otherwise"));
    lowMemory_->addItem(tr("Automatic"), QString());
    lowMemory_->addItem(tr("On"), QStringLiteral("on"));
    lowMemory_->addItem(tr("Off"), QStringLiteral("off"));
    lowMemory_->setToolTip(
        tr("On: collects what is unused after every stage. Automatic: on devices up to 8 GiB."));
    threshold_->setRange(0, 100);
    threshold_->setSuffix(tr(" %"));
    threshold_->setToolTip(tr("Memory is collected between stages when it is this full"));
    exact_->setToolTip(tr("A node that trades precision or steps for speed is refused by name"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(Theme::space(3));
    form->setVerticalSpacing(Theme::space(2));
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    form->addRow(tr("Memory budget"), budget_);
    form->addRow(QString(), budgetProblem_);
    form->addRow(tr("Device"), device_);
    form->addRow(tr("Low-memory mode"), lowMemory_);
    threshold_->setAccessibleName(tr("Collect memory at"));
    ownThreshold_->setAccessibleName(
        tr("%1: %2").arg(threshold_->accessibleName(), ownThreshold_->text()));
    form->addRow(threshold_->accessibleName(), rowOf(2, {ownThreshold_, {threshold_, 1}}));
    form->addRow(tr("Exact"), exact_);
}

void InspectorGraph::connectRows() {
    EditSession::watch(*budget_, [this] { return setBudget(); });
    connect(device_, &QComboBox::activated, this, &InspectorGraph::setDevice);
    connect(lowMemory_, &QComboBox::activated, this, [this] {
        const auto value = statedOf(lowMemory_->currentData().toString());
        model_.apply(tr("Low-memory mode"),
                     [&](graph::Document& document) { document.lowMemory = value; });
    });
    connect(ownThreshold_, &QCheckBox::clicked, this, [this](bool isSet) {
        model_.apply(tr("Change when memory is collected"), [&](graph::Document& document) {
            document.collectionThreshold =
                isSet ? std::optional<int64_t>(threshold_->value()) : std::nullopt;
        });
    });
    connect(threshold_, &QSpinBox::valueChanged, this, [this](int percent) {
        model_.apply(
            tr("Change when memory is collected"),
            [&](graph::Document& document) { document.collectionThreshold = percent; },
            QStringLiteral("graph:threshold"));
    });
    connect(threshold_, &QSpinBox::editingFinished, this, [this] { model_.endMerging(); });
    connect(exact_, &QCheckBox::clicked, this, [this](bool isOn) {
        model_.apply(tr("Change exact"), [&](graph::Document& document) {
            document.isExact = isOn ? std::optional(true) : std::nullopt;
        });
    });
}

void InspectorGraph::setDevices(const std::vector<std::string>& devices) {
    if (devices_ == devices) {
        return;  // the list may be open
    }
    devices_ = devices;
    QList<std::pair<QString, QVariant>> choices;
    for (const std::string& device : devices) {
        choices.emplaceBack(deviceText(device), QString::fromStdString(device));
    }
    refill(*device_, choices);
    choose(*device_, statedText(model_.document().device));
}

void InspectorGraph::refresh() {
    const graph::Document& document = model_.document();
    EditSession::showUnlessTyped(*budget_, statedText(document.memoryBudget));
    choose(*device_, statedText(document.device));
    const QString lowMemory = statedText(document.lowMemory);
    choose(*lowMemory_, lowMemory == QLatin1String("auto") ? QString() : lowMemory);
    const QSignalBlocker quiet(threshold_);
    ownThreshold_->setChecked(document.collectionThreshold.has_value());
    threshold_->setEnabled(document.collectionThreshold.has_value());
    EditSession::showUnlessTyped(
        *threshold_, static_cast<int>(document.collectionThreshold.value_or(kUsualThreshold)));
    exact_->setChecked(document.isExact.value_or(false));
}

void InspectorGraph::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape || !budget_->isModified()) {
        QWidget::keyPressEvent(event);
        return;
    }
    forgetTyped();
}

void InspectorGraph::forgetTyped() {
    budget_->setModified(false);
    budgetProblem_->hide();
    refresh();
}

bool InspectorGraph::setBudget() {
    const QString text = budget_->text().trimmed();
    showText(*budgetProblem_, budgetProblem(text));
    if (!budgetProblem_->text().isEmpty()) {
        return false;
    }
    model_.apply(tr("Change the memory budget"),
                 [&](graph::Document& document) { document.memoryBudget = statedOf(text); });
    return true;
}

void InspectorGraph::setDevice() {
    const auto value = statedOf(device_->currentData().toString());
    model_.apply(tr("Change the device"),
                 [&](graph::Document& document) { document.device = value; });
}

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
        return std::ranges::all_of(
            nodes, [this](const std::string& node) { return model.desc(node) != nullptr; });
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
    parts.title = labelIn(values, "title", "title");
    parts.detail = labelIn(values, "detail", "small");
    parts.detail->setForegroundRole(QPalette::PlaceholderText);
    parts.placeholder = labelIn(values, "placeholder", "body");
    parts.graph = new InspectorGraph(model, values);
    parts.params = new InspectorParams(model, statuses, offered, values);
    parts.sections = new InspectorSections(model, planning, values);
    columnIn(values,
             3,
             {3, 3, 3, 3},
             {parts.title,
              parts.detail,
              parts.placeholder,
              parts.graph,
              parts.params,
              parts.sections,
              Cell::spring()});
    auto* scroll = named("inspectorScroll", new ScrolledPart(values, this));
    parts.help = new InspectorHelp(this);
    parts.tabs = new QTabWidget(this);
    parts.tabs->setDocumentMode(true);
    parts.tabs->addTab(scroll, tr("Values"));
    parts.tabs->addTab(parts.help, tr("Help"));
    columnIn(this, 0, {parts.tabs});
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
    connect(parts.sections,
            &InspectorSections::opensMemoryChanged,
            this,
            &Inspector::opensMemoryChanged);
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
    if (param == kMemoryItem) {
        parts_->sections->openMemory();
    } else if (!param.empty()) {
        parts_->params->focusParam(param);
    }
}

void Inspector::setOpensMemory(bool isOpen) {
    parts_->sections->setOpensMemory(isOpen);
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
        const auto unknown = std::ranges::find_if(parts.nodes, [&](const std::string& node) {
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
    const bool isGone = std::ranges::any_of(
        parts.nodes, [&](const auto& node) { return parts.model.node(node) == nullptr; });
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
