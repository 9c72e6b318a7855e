#include "ui/panels/inspector_params.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/column_in.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>

#include <algorithm>

namespace lowtide::ui {

namespace {

Json defaultJson(const ParamDesc& param) {
    return graph::toJson(param.defaultValue);
}

Json valueOf(const graph::DocumentNode& node, const ParamDesc& param) {
    return node.params.contains(param.id) ? node.params.at(param.id) : defaultJson(param);
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
    return std::any_of(document.exposed.begin(), document.exposed.end(), [&](const auto& shown) {
        return shown.node == node && shown.param == param;
    });
}

}  // namespace

InspectorParams::InspectorParams(GraphModel& model,
                                 NodeStatuses& statuses,
                                 const OfferedFiles* offered,
                                 QWidget* parent)
    : QWidget(parent),
      model_(model),
      statuses_(statuses),
      offered_(offered),
      column_(columnIn(this)) {
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
    QVBoxLayout* plain = columnIn(content_);
    const NodeDesc* desc = nodes_.empty() ? nullptr : model_.desc(nodes_.front());
    if (!desc) {
        return;
    }
    auto* folded = new QWidget(content_);
    QVBoxLayout* advanced = columnIn(folded);
    for (const ParamDesc& param : desc->params) {
        if (std::all_of(nodes_.begin(), nodes_.end(), [&](const std::string& node) {
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
        advanced_ = new Fold(tr("Advanced"), folded, isAdvancedOpen_, content_);
        advanced_->setObjectName(QStringLiteral("advanced"));
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
    row.editor().setBeside([this] { return model_.node(nodes_.front())->params; });
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
    RowState state{.value = valueOf(*model_.node(first), param)};
    for (const std::string& node : nodes_) {
        const graph::DocumentNode& saved = *model_.node(node);
        state.isMixed = state.isMixed || valueOf(saved, param) != state.value;
    }
    const Json byDefault = defaultJson(param);
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
    const bool areThere = std::all_of(nodes_.begin(), nodes_.end(), [&](const std::string& node) {
        return model_.node(node) != nullptr;
    });
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
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& entry) {
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
    setValue(param, defaultJson(param), true);
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

}  // namespace lowtide::ui
