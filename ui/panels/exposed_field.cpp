#include "ui/panels/exposed_field.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/document/edits.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/token_colour.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr int kPromptHeight = 120;

}  // namespace

const ParamDesc* exposedDesc(const GraphModel& model, const graph::ExposedParam& exposed) {
    const NodeDesc* node = model.desc(exposed.node);
    return node ? graph::findParam(*node, exposed.param) : nullptr;
}

ExposedField::ExposedField(GraphModel& model,
                           const graph::ExposedParam& exposed,
                           const OfferedFiles* offered,
                           QWidget* parent)
    : QWidget(parent), model_(model), exposed_(exposed), desc_(*exposedDesc(model, exposed)) {
    setObjectName(QString::fromStdString("field." + exposed.node + "." + exposed.param));
    auto* label = new QLabel(exposedLabel(exposed.label, *model.desc(exposed.node), desc_), this);
    label->setFont(Theme::current().font("label"));
    label->setToolTip(QString::fromStdString(desc_.tooltip));
    editor_ = makeParamEditor(*model.desc(exposed.node), desc_, offered, this);
    editor_->setObjectName(objectName() + QStringLiteral(".editor"));
    editor_->setAccessibleName(label->text());
    if (desc_.multiline) {
        editor_->setMinimumHeight(kPromptHeight);
    }
    label->setBuddy(editor_);
    problem_ = new QLabel(this);
    problem_->setObjectName(objectName() + QStringLiteral(".problem"));
    problem_->setFont(Theme::current().font("small"));
    problem_->setWordWrap(true);
    problem_->hide();

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(1));
    column->addWidget(label);
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::space(2));
    row->addWidget(editor_, 1);
    column->addLayout(row);
    column->addWidget(problem_);
    if (desc_.kind == ParamKind::Seed) {
        addSeedMode();
        row->addWidget(seedMode_);
    }
    editor_->setBeside([this] {
        const graph::DocumentNode* node = model_.node(exposed_.node);
        return node ? node->params : Json::object();
    });
    editor_->setNodes({exposed_.node});
    connect(editor_, &ParamEditor::edited, this, &ExposedField::apply);
    refresh();
}

void ExposedField::addSeedMode() {
    seedMode_ = new QComboBox(this);
    seedMode_->setObjectName(objectName() + QStringLiteral(".mode"));
    seedMode_->setAccessibleName(tr("What happens to the seed when a run begins"));
    seedMode_->setToolTip(tr("What happens to the seed when a run begins"));
    seedMode_->addItems({tr("Keep"), tr("Random"), tr("Count up")});  // as SeedMode
    connect(seedMode_, &QComboBox::activated, this, [this](int index) {
        model_.apply(tr("Change seed mode"), [&](graph::Document& document) {
            setSeedMode(document.nodes.at(exposed_.node), exposed_.param, SeedMode(index));
        });
    });
}

void ExposedField::refresh() {
    const graph::DocumentNode* node = model_.node(exposed_.node);
    if (node == nullptr) {
        return;
    }
    const auto given = node->params.find(exposed_.param);
    const Json value = given == node->params.end() ? graph::toJson(desc_.defaultValue) : *given;
    if (editor_->value() != value) {
        editor_->setValue(value);
    }
    if (seedMode_) {
        seedMode_->setCurrentIndex(static_cast<int>(seedModeOf(*node, exposed_.param)));
    }
}

void ExposedField::setProblem(const QString& problem) {
    editor_->setProblem(problem);
    setTextColour(*problem_, "error");
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
}

void ExposedField::apply(const Json& value, bool isFinal) {
    const std::string node = exposed_.node;
    const std::string param = exposed_.param;
    if (model_.node(node) != nullptr) {
        model_.apply(
            tr("Change %1").arg(editor_->accessibleName()),
            [&](graph::Document& document) { document.nodes.at(node).params[param] = value; },
            QString::fromStdString("form." + node + "." + param));
    }
    if (isFinal) {
        model_.endMerging();
    }
}

}  // namespace lowtide::ui
