#include "ui/panels/generate_form.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/document/edits.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/memory_line.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kPromptHeight = 120;

bool areSame(const std::vector<graph::ExposedParam>& a, const std::vector<graph::ExposedParam>& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
        return x.node == y.node && x.param == y.param && x.label == y.label;
    });
}

QString issueText(const Issue& issue) {
    const QString message = QString::fromStdString(issue.message.str());
    return issue.hint.empty()
               ? message
               : QStringLiteral("%1 (%2)").arg(message, QString::fromStdString(issue.hint.str()));
}

}  // namespace

const ParamDesc* exposedDesc(const GraphModel& model, const graph::ExposedParam& exposed) {
    const NodeDesc* node = model.desc(exposed.node);
    return node ? graph::findParam(*node, exposed.param) : nullptr;
}

ExposedField::ExposedField(GraphModel& model,
                           const graph::ExposedParam& exposed,
                           const OfferedFiles* offered,
                           QWidget* parent)
    : FormField(model, exposed, parent), desc_(*exposedDesc(model, exposed)) {
    editor_ = makeParamEditor(*model.desc(exposed.node), desc_, offered, this);
    QLabel* label = makeFieldLabel(
        exposedLabel(exposed.label, *model.desc(exposed.node), desc_), editor_, this);
    label->setToolTip(QString::fromStdString(desc_.tooltip));
    editor_->setObjectName(objectName() + QStringLiteral(".editor"));
    editor_->setAccessibleName(label->text());
    if (desc_.multiline) {
        editor_->setMinimumHeight(kPromptHeight);
    }
    problem_ = named(objectName() + QStringLiteral(".problem"), makeText({}, "", this, "small"));
    problem_->hide();
    if (desc_.kind == ParamKind::Seed) {
        addSeedMode();
    }
    columnIn(this, 1, {label, rowOf(2, {{editor_, 1}, seedMode_}), problem_});
    editor_->setOtherParams([this] {
        const graph::DocumentNode* shown = this->model().node(node());
        return shown ? shown->params : Json::object();
    });
    editor_->setNodes({exposed.node});
    connect(editor_, &ParamEditor::edited, this, &ExposedField::apply);
    refresh();
}

void ExposedField::addSeedMode() {
    seedMode_ = named(objectName() + QStringLiteral(".mode"), new QComboBox(this));
    setTip(*seedMode_, tr("What happens to the seed when a run begins"));
    seedMode_->addItems({tr("Keep"), tr("Random"), tr("Count up")});  // as SeedMode
    connect(seedMode_, &QComboBox::activated, this, [this](int index) {
        model().apply(tr("Change seed mode"), [&](graph::Document& document) {
            setSeedMode(document.nodes.at(node()), param(), SeedMode(index));
        });
    });
}

void ExposedField::refresh() {
    const graph::DocumentNode* shown = model().node(node());
    if (shown == nullptr) {
        return;
    }
    const Json value = graph::valueOf(*shown, desc_);
    if (editor_->value() != value) {
        editor_->setValue(value);
    }
    if (seedMode_) {
        seedMode_->setCurrentIndex(static_cast<int>(seedModeOf(*shown, param())));
    }
}

void ExposedField::setProblem(const QString& problem) {
    editor_->setProblem(problem);
    setTextColour(*problem_, "error");
    showText(*problem_, problem);
}

void ExposedField::apply(const Json& value, bool isFinal) {
    if (model().node(node()) != nullptr) {
        model().apply(
            tr("Change %1").arg(editor_->accessibleName()),
            [&](graph::Document& document) { document.nodes.at(node()).params[param()] = value; },
            QString::fromStdString("form." + node() + "." + param()));
    }
    if (isFinal) {
        model().endMerging();
    }
}

GenerateForm::GenerateForm(GraphModel& model, const OfferedFiles* offered, QWidget* parent)
    : QWidget(parent), model_(model), offered_(offered) {
    setObjectName(QStringLiteral("generateForm"));
    scroll_ = new QScrollArea(this);
    scroll_->setFocusPolicy(Qt::NoFocus);  // its fields take the keys
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(scroll_);
    pages_->addWidget(makeEmptyState(
        {.icon = "sliders",
         .title = tr("No values are shown here yet"),
         .text = tr("Right-click a value of a node and choose “Show in Generate”. Prompt, size and "
                    "seed are a good start. Presets come with their own.")},
        this));
    columnIn(this, 0, {{pages_, 1}, makeBar()});
    connect(&model_, &GraphModel::changed, this, &GenerateForm::take);
    rebuild();
    showMemory();
}

QWidget* GenerateForm::makeBar() {
    auto* bar = new QWidget(this);
    memory_ = makeText({}, "memoryLine", bar);
    run_ = makeButton(tr("Run"), "run", bar);
    run_->setIcon(Theme::current().icon("play"));
    cancel_ = makeButton(tr("Cancel"), "cancel", bar);
    cancel_->setIcon(Theme::current().icon("stop"));
    connect(run_, &QPushButton::clicked, this, &GenerateForm::runAsked);
    connect(cancel_, &QPushButton::clicked, this, &GenerateForm::cancelAsked);
    columnIn(bar, 2, {4, 3, 4, 4}, {memory_, rowOf(2, {{run_, 1}, cancel_})});
    setRunning(false);
    return bar;
}

void GenerateForm::setPlanned(const Planned& planned) {
    planned_ = planned;
    showProblems();
    showMemory();
}

void GenerateForm::setFacts(const Json& facts) {
    facts_ = facts;
    showUsualSizes();
}

void GenerateForm::showUsualSizes() {
    for (SizeRow* size : sizes_) {
        size->setUsualPixels(usualPixelsFor(model_.document(), size->node(), facts_));
    }
}

void GenerateForm::setRunning(bool isRunning) {
    cancel_->setEnabled(isRunning);
    run_->setToolTip(isRunning ? tr("Queue one more run after the current one") : QString());
}

void GenerateForm::take(const Delta& delta) {
    const bool isOther = delta.reset || delta.exposed || !delta.added.empty() ||
                         !delta.removed.empty() || !areSame(shown_, model_.document().exposed);
    if (isOther) {
        rebuild();
        return;
    }
    for (FormField* field : fields_) {
        if (delta.changed.contains(field->node())) {
            field->refresh();
        }
    }
    for (SizeRow* size : sizes_) {
        if (delta.changed.contains(size->node())) {
            size->refresh();
        }
    }
}

FormField* GenerateForm::makeField(const graph::ExposedParam& exposed, QWidget* page) {
    const NodeDesc* desc = model_.desc(exposed.node);
    if (exposedDesc(model_, exposed)) {
        return new ExposedField(model_, exposed, offered_, page);
    }
    return desc && exposed.param == graph::kExposedPrecision && !desc->components.empty()
               ? new PrecisionField(model_, exposed, page)
               : nullptr;
}

FormField* GenerateForm::fieldOf(const std::string& node, const char* param) const {
    const auto found = std::ranges::find_if(fields_, [&](const FormField* field) {
        return field->node() == node && field->param() == param;
    });
    return found == fields_.end() ? nullptr : *found;
}

/// Both sides of one node become one row, where the first of them stands.
void GenerateForm::addFields(QVBoxLayout& column, QWidget* page) {
    std::vector<const FormField*> shown;
    for (FormField* field : fields_) {
        FormField* width = fieldOf(field->node(), "width");
        FormField* height = fieldOf(field->node(), "height");
        if (std::ranges::find(shown, field) != shown.end()) {
            continue;
        }
        if (width && height && (field == width || field == height)) {
            sizes_.push_back(new SizeRow(model_, *width, *height, page));
            column.addWidget(sizes_.back());
            shown.insert(shown.end(), {width, height});
        } else {
            column.addWidget(field);
        }
    }
}

void GenerateForm::rebuild() {
    shown_ = model_.document().exposed;
    fields_.clear();
    sizes_.clear();
    auto* page = new QWidget;
    QVBoxLayout* column = columnIn(page, 3, {4, 4, 4, 2}, {});
    QStringList lost;
    for (const graph::ExposedParam& exposed : shown_) {
        if (FormField* field = makeField(exposed, page)) {
            fields_.push_back(field);
        } else {
            lost.push_back(QString::fromStdString(exposed.node + "." + exposed.param));
        }
    }
    addFields(*column, page);
    showUsualSizes();
    lost_ = makeText(tr("Not known here, kept as they are: %1").arg(lost.join(", ")),
                     "lost",
                     page,
                     nullptr,
                     "warning");
    lost_->setVisible(!lost.isEmpty());
    addAll(*column, {lost_, Cell::spring()});
    scroll_->setWidget(page);
    pages_->setCurrentIndex(fields_.empty() && lost.isEmpty() ? 1 : 0);
    showProblems();
}

void GenerateForm::showProblems() {
    for (FormField* field : fields_) {
        QString problem;
        for (const Issue& issue : planned_.issues) {
            if (issue.severity == Severity::Error && issue.node == field->node() &&
                issue.item == field->param()) {
                problem = issueText(issue);
            }
        }
        field->setProblem(problem);
    }
}

void GenerateForm::showMemory() {
    const MemoryLine line = memoryLineOf(planned_, nodeNamesIn(model_));
    showText(*memory_, line.text);
    memory_->setToolTip(line.detail);
    setTextColour(*memory_, !line.fits ? "error" : planned_.isFresh ? "text" : "text.muted");
}

}  // namespace lowtide::ui
