#include "ui/panels/inspector_sections.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"
#include "ui/bridge/sheet_plan.hpp"
#include "ui/panels/inspector_params.hpp"
#include "ui/theme/theme.hpp"

#include <QContextMenuEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// One line for the folded section; a value that cannot be read is shown by the editor.
QString memoryText(const Json& memory) {
    try {
        return memory.is_null()
                   ? InspectorSections::tr("auto")
                   : QString::fromStdString(toText(memory::policyFromJson(memory, "memory")));
    } catch (const Error&) {
        return InspectorSections::tr("cannot be read");
    }
}

QString precisionText(const Json& precision) {
    try {
        return QString::fromStdString(toText(memory::precisionFromJson(precision, "precision")));
    } catch (const Error&) {
        return InspectorSections::tr("cannot be read");
    }
}

/// The label of the step cache that is wired to the node; empty: none.
std::string stepCacheOf(const GraphModel& model, const std::string& node) {
    const NodeDesc* desc = model.desc(node);
    for (const graph::Link& link : model.document().links) {
        if (link.to.node != node || !desc) {
            continue;
        }
        const PortDesc* input = graph::findInput(*desc, link.to.port);
        const NodeDesc* source = model.desc(link.from.node);
        if (input && source && input->type == "STEP_CACHE") {
            return source->label;
        }
    }
    return {};
}

}  // namespace

Json plannedPrecisionOf(const Json& plan, const std::string& node) {
    Json found;
    if (!plan.is_object() || !plan.contains("precision") || !plan.at("precision").is_object()) {
        return found;
    }
    for (const auto& [key, value] : plan.at("precision").items()) {
        if (key == node) {
            found[value.value("component", std::string())] = value;
        } else if (key.starts_with(node + ".")) {
            found[key.substr(node.size() + 1)] = value;
        }
    }
    return found;
}

InspectorSections::InspectorSections(GraphModel& model, const Planning& planning, QWidget* parent)
    : QWidget(parent),
      model_(model),
      planning_(planning),
      memoryEditor_(new MemoryEditor(this)),
      precisionEditor_(new PrecisionEditor(this)) {
    setObjectName(QStringLiteral("inspectorSections"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(2));
    memory_ = new Fold(tr("Memory"), memoryEditor_, true, this);
    memory_->setObjectName(QStringLiteral("memory"));
    precision_ = new Fold(tr("Precision"), precisionEditor_, false, this);
    precision_->setObjectName(QStringLiteral("precision"));
    column->addWidget(memory_);
    column->addWidget(precision_);
    connect(memoryEditor_, &MemoryEditor::edited, this, &InspectorSections::setMemory);
    connect(precisionEditor_, &PrecisionEditor::edited, this, &InspectorSections::setPrecision);
    hide();
}

void InspectorSections::setDevices(const std::vector<std::string>& devices) {
    devices_ = devices;
    refresh();
}

void InspectorSections::setNodes(const std::vector<std::string>& nodes) {
    nodes_ = nodes;
    refresh();
}

NodeFacts InspectorSections::factsOf(const std::string& node) const {
    const NodeDesc* desc = model_.desc(node);
    return {.desc = desc,
            .devices = devices_,
            .plannedPrecision = plannedPrecisionOf(planning_.planned().plan, node),
            .stepCache = stepCacheOf(model_, node)};
}

void InspectorSections::refresh() {
    const bool applies =
        !nodes_.empty() && std::all_of(nodes_.begin(), nodes_.end(), [&](const std::string& node) {
            const NodeDesc* desc = model_.desc(node);
            return desc && !desc->components.empty() && desc == model_.desc(nodes_.front());
        });
    setVisible(applies);
    if (!applies) {
        return;
    }
    const graph::DocumentNode& node = *model_.node(nodes_.front());
    const NodeFacts facts = factsOf(nodes_.front());
    memoryEditor_->setNode(facts, node.memory);
    precisionEditor_->setNode(facts, node.precision);
    memory_->setSummary(memoryText(node.memory));
    precision_->setSummary(precisionText(node.precision));
}

void InspectorSections::contextMenuEvent(QContextMenuEvent* event) {
    if (!offersSheets_ || nodes_.empty()) {
        event->ignore();
        return;
    }
    const std::string item =
        precision_->geometry().contains(event->pos()) ? kPrecisionItem : kMemoryItem;
    showVaryMenu(*this, event->globalPos(), [this, item](bool areRows) {
        Q_EMIT varyAsked(nodes_.front(), item, areRows);
    });
}

void InspectorSections::setMemory(const Json& memory) {
    model_.apply(tr("Change the memory policy"), [&](graph::Document& document) {
        for (const std::string& node : nodes_) {
            document.nodes.at(node).memory = memory;
        }
    });
}

void InspectorSections::setPrecision(const Json& precision) {
    model_.apply(tr("Change the precision"), [&](graph::Document& document) {
        for (const std::string& node : nodes_) {
            document.nodes.at(node).precision = precision;
        }
    });
}

}  // namespace lowtide::ui
