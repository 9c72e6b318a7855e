#include "ui/panels/inspector_parts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"
#include "ui/bridge/sheet_plan.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QApplication>
#include <QContextMenuEvent>
#include <QGridLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kNameWidth = 112;

QToolButton* smallButton(const char* icon, const char* name, QWidget* parent) {
    QToolButton* button = makeIconButton(icon, {}, name, parent);
    button->setIcon(Theme::current().icon(icon, "text.muted"));
    button->setFixedSize(Theme::space(6), Theme::space(6));
    return button;
}

/// Whether the node has a parameter that can share one editor with this one.
bool hasLike(const NodeDesc* desc, const ParamDesc& param) {
    const ParamDesc* other = desc ? graph::findParam(*desc, param.id) : nullptr;
    return other && other->kind == param.kind && other->choices.size() == param.choices.size();
}

/// Typing goes on within one step only in the same parameter of the same nodes.
QString mergeKey(const std::vector<std::string>& nodes, const ParamDesc& param) {
    std::string key = "param/" + param.id;
    for (const std::string& node : nodes) {
        key += "/" + node;
    }
    return QString::fromStdString(key);
}

bool isExposed(const graph::Document& document, const std::string& node, const std::string& param) {
    return std::ranges::any_of(document.exposed, [&](const auto& shown) {
        return shown.node == node && shown.param == param;
    });
}

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

void showVaryMenu(QWidget& widget, const QPoint& point, const std::function<void(bool)>& act) {
    auto* menu = named("varyMenu", new QMenu(&widget));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& text, const char* name, bool areRows) {
        QAction* action = named(name, menu->addAction(text));
        QObject::connect(action, &QAction::triggered, &widget, [act, areRows] { act(areRows); });
    };
    add(InspectorRow::tr("Vary in a sheet, as columns (&X)..."), "varyColumns", false);
    add(InspectorRow::tr("Vary in a sheet, as rows (&Y)..."), "varyRows", true);
    menu->popup(point);
}

InspectorRow::InspectorRow(const NodeDesc& node,
                           const ParamDesc& param,
                           const OfferedFiles* offered,
                           QWidget* parent)
    : QWidget(parent),
      label_(QString::fromStdString(param.label)),
      name_(new QLabel(label_, this)),
      mixed_(named("mixed", new QLabel(tr("different values"), this))),
      editor_(makeParamEditor(node, param, offered, this)),
      reset_(smallButton("undo", "reset", this)),
      expose_(smallButton("eye", "expose", this)) {
    setObjectName(QString::fromStdString(param.id));
    const QString tip = QString::fromStdString(param.tooltip);
    name_->setToolTip(tip);
    name_->setWordWrap(true);
    name_->setBuddy(editor_);
    editor_->setToolTip(tip);
    editor_->setAccessibleName(label_);
    mixed_->setForegroundRole(QPalette::PlaceholderText);
    mixed_->setFont(Theme::current().font("small"));
    mixed_->hide();
    reset_->setToolTip(
        tr("Back to the default: %1").arg(valueText(param, graph::toJson(param.defaultValue))));
    reset_->setAccessibleName(tr("Restore the default of %1").arg(label_));
    expose_->setAccessibleName(tr("Show %1 in Generate").arg(label_));
    expose_->setCheckable(true);
    if (param.kind == ParamKind::Seed) {
        buildSeedMode();
    }
    arrange(param.multiline);
    connect(editor_, &ParamEditor::edited, this, &InspectorRow::edited);
    connect(reset_, &QToolButton::clicked, this, &InspectorRow::resetAsked);
    connect(expose_, &QToolButton::clicked, this, &InspectorRow::exposeAsked);
}

void InspectorRow::buildSeedMode() {
    seedMode_ = named("seedMode", new QComboBox(this));
    seedMode_->addItem(tr("Keep"), static_cast<int>(SeedMode::Keep));
    seedMode_->addItem(tr("Random"), static_cast<int>(SeedMode::Random));
    seedMode_->addItem(tr("Count up"), static_cast<int>(SeedMode::Increment));
    seedMode_->setToolTip(
        tr("What happens to the seed when you press Run. The seed that is shown is the one that "
           "is used."));
    connect(seedMode_, &QComboBox::activated, this, [this] {
        Q_EMIT seedModeChosen(static_cast<SeedMode>(seedMode_->currentData().toInt()));
    });
}

void InspectorRow::arrange(bool isTall) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(Theme::space(1));
    grid->setVerticalSpacing(Theme::space(1));
    grid->setColumnStretch(1, 1);
    grid->addWidget(name_, 0, 0);
    grid->addWidget(reset_, 0, 2, Qt::AlignTop);
    grid->addWidget(expose_, 0, 3, Qt::AlignTop);
    if (isTall) {
        grid->addWidget(mixed_, 0, 1);
        grid->addWidget(editor_, 1, 0, 1, 4);
    } else {
        name_->setFixedWidth(kNameWidth);
        grid->addWidget(editor_, 0, 1);
        grid->addWidget(mixed_, 1, 1);
    }
    if (seedMode_) {
        grid->addWidget(seedMode_, 2, 1);
    }
}

/// Also of parts of the editor that have no menu of their own.
void InspectorRow::contextMenuEvent(QContextMenuEvent* event) {
    event->setAccepted(offersSheets_);
    if (offersSheets_) {
        showVaryMenu(
            *this, event->globalPos(), [this](bool areRows) { Q_EMIT varyAsked(areRows); });
    }
}

void InspectorRow::setState(const RowState& state) {
    if (editor_->value() != state.value) {
        editor_->setValue(state.value);
    }
    editor_->setProblem(state.problem);
    mixed_->setVisible(state.isMixed);
    reset_->setVisible(!state.isDefault);
    QSizePolicy kept = reset_->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    reset_->setSizePolicy(kept);
    const QSignalBlocker blocked(expose_);
    expose_->setChecked(state.isExposed);
    expose_->setIcon(Theme::current().icon("eye", state.isExposed ? "accent" : "text.muted"));
    expose_->setToolTip(state.isExposed ? tr("Shown under Generate; click to remove it")
                                        : tr("Show %1 under Generate").arg(label_));
    if (seedMode_) {
        const QSignalBlocker quiet(seedMode_);
        seedMode_->setCurrentIndex(seedMode_->findData(static_cast<int>(state.seedMode)));
    }
}

InspectorParams::InspectorParams(GraphModel& model,
                                 NodeStatuses& statuses,
                                 const OfferedFiles* offered,
                                 QWidget* parent)
    : QWidget(parent),
      model_(model),
      statuses_(statuses),
      offered_(offered),
      column_(columnIn(this, 2, {})) {
    setObjectName(QStringLiteral("inspectorParams"));
}

void InspectorParams::setNodes(const std::vector<std::string>& nodes) {
    nodes_ = nodes;
    rows_.clear();
    if (advanced_) {
        isAdvancedOpen_ = advanced_->isOpen();
    }
    advanced_ = nullptr;
    if (content_) {
        EditSession::forgetIn(*content_);
        content_->hide();
        content_->deleteLater();
    }
    content_ = new QWidget(this);
    column_->addWidget(content_);
    QVBoxLayout* plain = columnIn(content_, 2, {});
    const NodeDesc* desc = nodes_.empty() ? nullptr : model_.desc(nodes_.front());
    if (!desc) {
        return;
    }
    auto* folded = new QWidget(content_);
    QVBoxLayout* advanced = columnIn(folded, 2, {});
    for (const ParamDesc& param : desc->params) {
        if (std::ranges::all_of(nodes_, [&](const std::string& node) {
                return hasLike(model_.desc(node), param);
            })) {
            addRow(*desc, param, param.advanced ? *advanced : *plain);
        }
    }
    if (rows_.empty()) {
        plain->addWidget(new QLabel(nodes_.size() > 1 ? tr("These nodes share no parameter.")
                                                      : tr("This node has no parameters."),
                                    content_));
    }
    if (advanced->count() > 0) {
        advanced_ = named("advanced", new Fold(tr("Advanced"), folded, isAdvancedOpen_, content_));
        plain->addWidget(advanced_);
    } else {
        folded->deleteLater();
    }
    refresh();
}

void InspectorParams::addRow(const NodeDesc& desc, const ParamDesc& param, QVBoxLayout& column) {
    auto* row = new InspectorRow(desc, param, offered_, column.parentWidget());
    column.addWidget(row);
    rows_.emplace(param.id, Shown{param, row});
    connectRow(*row, param);
}

void InspectorParams::connectRow(InspectorRow& row, const ParamDesc& param) {
    row.editor().setOtherParams([this] { return model_.node(nodes_.front())->params; });
    row.editor().setNodes(nodes_);
    connect(&row, &InspectorRow::edited, this, [this, param](const Json& value, bool isFinal) {
        setValue(param, value, isFinal);
    });
    connect(&row, &InspectorRow::resetAsked, this, [this, param] { reset(param); });
    connect(&row, &InspectorRow::exposeAsked, this, [this, param](bool isShown) {
        expose(param, isShown);
    });
    if (offersSheets_ && !param.cosmetic) {
        row.offerSheets();
        connect(&row, &InspectorRow::varyAsked, this, [this, id = param.id](bool areRows) {
            Q_EMIT varyAsked(nodes_.front(), id, areRows);
        });
    }
    connect(&row, &InspectorRow::seedModeChosen, this, [this, param](SeedMode mode) {
        setMode(param, mode);
    });
}

RowState InspectorParams::stateOf(const ParamDesc& param) const {
    const std::string& first = nodes_.front();
    RowState state{.value = graph::valueOf(*model_.node(first), param)};
    for (const std::string& node : nodes_) {
        const graph::DocumentNode& saved = *model_.node(node);
        state.isMixed = state.isMixed || graph::valueOf(saved, param) != state.value;
    }
    const Json byDefault = graph::toJson(param.defaultValue);
    state.isDefault = byDefault.is_null() || (!state.isMixed && state.value == byDefault);
    state.isExposed = isExposed(model_.document(), first, param.id);
    state.seedMode = seedModeOf(*model_.node(first), param.id);
    state.problem = refusalOf(param, state.value);
    for (const Issue& issue : statuses_.of(first).issues) {
        if (issue.item == param.id && issue.severity == Severity::Error) {
            state.problem = QString::fromStdString(issue.message.str());
        }
    }
    return state;
}

void InspectorParams::refresh() {
    const bool areThere = std::ranges::all_of(
        nodes_, [&](const std::string& node) { return model_.node(node) != nullptr; });
    if (!areThere) {
        return;  // the selection follows in a moment
    }
    for (auto& [id, shown] : rows_) {
        shown.row->setState(stateOf(shown.param));
    }
}

void InspectorParams::focusParam(const std::string& param) {
    const auto found = rows_.find(param);
    if (found == rows_.end()) {
        return;
    }
    if (found->second.param.advanced && advanced_) {
        advanced_->setOpen(true);
    }
    found->second.row->editor().setFocus(Qt::OtherFocusReason);
}

std::string InspectorParams::focusedParam() const {
    const QWidget* focused = QApplication::focusWidget();
    const auto found = std::ranges::find_if(rows_, [&](const auto& entry) {
        return focused && entry.second.row->isAncestorOf(focused);
    });
    return found == rows_.end() ? std::string() : found->first;
}

void InspectorParams::setValue(const ParamDesc& param, const Json& value, bool isFinal) {
    model_.apply(
        tr("Change %1").arg(QString::fromStdString(param.label)),
        [&](graph::Document& document) {
            for (const std::string& node : nodes_) {
                document.nodes.at(node).params[param.id] = value;
            }
        },
        mergeKey(nodes_, param));
    if (isFinal) {
        model_.endMerging();
    }
}

void InspectorParams::reset(const ParamDesc& param) {
    model_.endMerging();
    setValue(param, graph::toJson(param.defaultValue), true);
}

void InspectorParams::expose(const ParamDesc& param, bool isShown) {
    const QString label = QString::fromStdString(param.label);
    model_.apply(
        isShown ? tr("Show %1 under Generate").arg(label)
                : tr("Remove %1 from Generate").arg(label),
        [&](graph::Document& document) {
            for (const std::string& node : nodes_) {
                setExposed(
                    document, node, param.id, englishLabel(*model_.desc(node), param), isShown);
            }
        });
}

void InspectorParams::setMode(const ParamDesc& param, SeedMode mode) {
    model_.apply(tr("Change what happens to %1").arg(QString::fromStdString(param.label)),
                 [&](graph::Document& document) {
                     for (const std::string& node : nodes_) {
                         setSeedMode(document.nodes.at(node), param.id, mode);
                     }
                 });
}

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
    memory_ = named("memory", new Fold(tr("Memory"), memoryEditor_, false, this));
    precision_ = named("precision", new Fold(tr("Precision"), precisionEditor_, false, this));
    columnIn(this, 2, {memory_, precision_});
    connect(memory_, &Fold::switchedByUser, this, [this](bool isOpen) {
        opensMemory_ = isOpen;
        Q_EMIT opensMemoryChanged(isOpen);
    });
    connect(memoryEditor_, &MemoryEditor::edited, this, [this](const Json& memory) {
        set(tr("Change the memory policy"), &graph::DocumentNode::memory, memory);
    });
    connect(precisionEditor_, &PrecisionEditor::edited, this, [this](const Json& precision) {
        set(tr("Change the precision"), &graph::DocumentNode::precision, precision);
    });
    hide();
}

void InspectorSections::setDevices(const std::vector<std::string>& devices) {
    devices_ = devices;
    refresh();
}

void InspectorSections::setOpensMemory(bool isOpen) {
    opensMemory_ = isOpen;
    memory_->setOpen(isOpen);
}

void InspectorSections::setNodes(const std::vector<std::string>& nodes) {
    nodes_ = nodes;
    refresh();
    memory_->setOpen(opensMemory_ || std::ranges::any_of(nodes_, [this](const std::string& id) {
                         const graph::DocumentNode* node = model_.node(id);
                         return node && memoryText(node->memory) != memoryText(Json());
                     }));
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
        !nodes_.empty() && std::ranges::all_of(nodes_, [&](const std::string& node) {
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

void InspectorSections::set(const QString& step,
                            Json graph::DocumentNode::*part,
                            const Json& value) {
    model_.apply(step, [&](graph::Document& document) {
        for (const std::string& node : nodes_) {
            document.nodes.at(node).*part = value;
        }
    });
}

}  // namespace lowtide::ui
