#include "ui/panels/sheet_dialog.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/vary/variation.hpp"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// Plans are asked for when the user has rested so long.
constexpr int kForecastRest = 250;
constexpr int kSheetDialogWidth = 640;
constexpr int kSheetDialogHeight = 520;

QGroupBox* framed(const QString& title, AxisEditor* editor, QWidget* parent) {
    auto* box = new QGroupBox(title, parent);
    auto* column = new QVBoxLayout(box);
    column->addWidget(editor);
    return box;
}

QLabel* sentence(const char* name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

bool isSeed(const std::vector<SheetItem>& items, int index) {
    return index >= 0 && items[static_cast<size_t>(index)].param &&
           items[static_cast<size_t>(index)].param->kind == ParamKind::Seed;
}

}  // namespace

SheetDialog::SheetDialog(const graph::Document& document,
                         const graph::Catalog& catalog,
                         const OfferedFiles* offered,
                         Runner& runner,
                         Background& background,
                         const Json& options,
                         QWidget* parent)
    : QDialog(parent),
      document_(document),
      catalog_(catalog),
      items_(sheetItems(document, catalog)),
      options_(options),
      x_(new AxisEditor(document_, catalog_, items_, offered, false, this)),
      y_(new AxisEditor(document_, catalog_, items_, offered, true, this)),
      estimate_(runner, background) {
    setObjectName(QStringLiteral("sheet"));
    setWindowTitle(tr("Vary in a sheet"));
    x_->setObjectName(QStringLiteral("x"));
    y_->setObjectName(QStringLiteral("y"));
    build();
    rest_.setSingleShot(true);
    rest_.setInterval(kForecastRest);
    connect(&rest_, &QTimer::timeout, this, &SheetDialog::forecast);
    connect(&estimate_, &SheetEstimate::changed, this, [this](const SheetForecast& forecast) {
        time_->setText(timeText(forecast));
    });
    connect(x_, &AxisEditor::changed, this, &SheetDialog::take);
    connect(y_, &AxisEditor::changed, this, &SheetDialog::take);
    connect(measured_, &QCheckBox::toggled, this, &SheetDialog::take);
    preselect({});
    resize(kSheetDialogWidth, kSheetDialogHeight);
}

void SheetDialog::build() {
    auto* axes = new QHBoxLayout;
    axes->setSpacing(Theme::space(3));
    axes->addWidget(framed(tr("Columns (X)"), x_, this), 1);
    axes->addWidget(framed(tr("Rows (Y)"), y_, this), 1);
    measured_ = new QCheckBox(tr("Execute every node in every cell, to compare times"), this);
    measured_->setObjectName(QStringLiteral("measured"));
    measured_->setToolTip(
        tr("Otherwise nodes that do not depend on what differs run once, for all cells."));
    count_ = sentence("count", this);
    count_->setFont(Theme::current().font("strong"));
    time_ = sentence("time", this);
    seeds_ = sentence("seeds", this);
    setTextColour(*seeds_, "text.muted");
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* swapped = buttons->addButton(tr("Swap X and Y"), QDialogButtonBox::ActionRole);
    swapped->setObjectName(QStringLiteral("swap"));
    swapped->setAutoDefault(false);
    run_ = buttons->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
    run_->setObjectName(QStringLiteral("run"));
    run_->setDefault(true);
    connect(swapped, &QPushButton::clicked, this, &SheetDialog::swap);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::space(2));
    column->addLayout(axes, 1);
    column->addWidget(measured_);
    column->addWidget(count_);
    column->addWidget(time_);
    column->addWidget(seeds_);
    column->addWidget(buttons);
}

int SheetDialog::indexOf(const std::string& node, const std::string& item) const {
    const auto found = std::find_if(items_.begin(), items_.end(), [&](const SheetItem& each) {
        return each.node == node && each.item == item;
    });
    return found == items_.end() ? -1 : static_cast<int>(found - items_.begin());
}

void SheetDialog::preselect(const SheetRequest& request) {
    const int steps = firstStepsIn(items_);
    const int wished = request.node.empty() ? steps : indexOf(request.node, request.item);
    x_->choose(request.areRows ? (steps == wished ? -1 : steps) : wished);
    y_->choose(request.areRows ? wished : -1);
    (request.areRows ? y_ : x_)->focusValues();
    take();
}

void SheetDialog::swap() {
    x_->swapWith(*y_);
}

std::optional<SheetPlan> SheetDialog::planNow() const {
    std::optional<SheetAxis> x = x_->axis();
    std::optional<SheetAxis> y = y_->axis();
    if (!x || (y_->chosen() >= 0 && !y)) {
        return std::nullopt;
    }
    SheetPlan plan{.x = std::move(*x), .y = std::move(y)};
    plan.isMeasured = measured_->isChecked() || variesMemory(plan);
    return plan;
}

SheetPlan SheetDialog::plan() const {
    return planNow().value_or(SheetPlan{});
}

bool SheetDialog::savesImages() const {
    return std::any_of(document_.nodes.begin(), document_.nodes.end(), [&](const auto& entry) {
        const NodeDesc* desc = catalog_.find(entry.second.type);
        return desc && desc->output && desc->sideEffect &&
               entry.second.mode == graph::NodeMode::Active;
    });
}

/// Why it cannot start; empty: it can.
QString SheetDialog::refusal() const {
    if (!savesImages()) {
        return tr("This graph saves no image. Add “Save image” at its end.");
    }
    if (x_->chosen() < 0) {
        return tr("Choose what differs from column to column.");
    }
    if (x_->chosen() == y_->chosen()) {
        return tr("Columns and rows differ in the same. Choose another one for the rows.");
    }
    const std::optional<SheetPlan> plan = planNow();
    if (!plan) {
        return tr("Fix the values that are marked.");
    }
    if (plan->cells() > kMostVariants) {
        return tr("%1 × %2 are %3 images; a sheet holds %4 at most. Use fewer values.")
            .arg(plan->columns())
            .arg(plan->rows())
            .arg(plan->cells())
            .arg(kMostVariants);
    }
    if (plan->cells() < 2) {
        return tr("One image is no sheet. Give another value.");
    }
    return {};
}

QString SheetDialog::countText(const SheetPlan& plan) const {
    return plan.y ? tr("%1 × %2 values make %n images.", nullptr, static_cast<int>(plan.cells()))
                        .arg(plan.columns())
                        .arg(plan.rows())
                  : tr("%n images.", nullptr, static_cast<int>(plan.cells()));
}

/// Nodes that all cells share are counted in each: it is never longer than that.
QString SheetDialog::timeText(const SheetForecast& forecast) const {
    if (forecast.refused > 0) {
        return tr("%n cannot run: %1", nullptr, static_cast<int>(forecast.refused))
            .arg(forecast.problem);
    }
    if (forecast.unknown > 0) {
        return tr("How long they take is not known while a run is at work.");
    }
    if (forecast.planned < forecast.cells) {
        return tr("Planning: %1 of %2").arg(forecast.planned).arg(forecast.cells);
    }
    const QString time = durationText(forecast.seconds);
    return measured_->isChecked() ? tr("All of them: %1 (estimate).").arg(time)
                                  : tr("All of them: %1 at most (estimate).").arg(time);
}

QString SheetDialog::seedText() const {
    if (isSeed(items_, x_->chosen()) || isSeed(items_, y_->chosen())) {
        return tr("Seeds are what differs here.");
    }
    QStringList seeds;
    for (const SheetItem& item : items_) {
        if (item.param && item.param->kind == ParamKind::Seed) {
            seeds << QString::fromStdString(ownText(item, document_));
        }
    }
    return seeds.isEmpty()     ? QString()
           : seeds.size() == 1 ? tr("Every cell has the seed %1.").arg(seeds.front())
                               : tr("Every cell has the seeds %1.").arg(listed(seeds));
}

void SheetDialog::take() {
    const QString problem = refusal();
    const std::optional<SheetPlan> plan = planNow();
    const bool mustMeasure = plan && variesMemory(*plan);
    measured_->setEnabled(!mustMeasure);
    if (mustMeasure && !measured_->isChecked()) {
        measured_->setChecked(true);  // comes back here
        return;
    }
    setTextColour(*count_, problem.isEmpty() ? "text" : "error");
    count_->setText(problem.isEmpty() && plan ? countText(*plan) : problem);
    seeds_->setText(seedText());
    run_->setEnabled(problem.isEmpty());
    estimate_.forget();
    time_->setText(problem.isEmpty() ? tr("Planning...") : QString());
    problem.isEmpty() ? rest_.start() : rest_.stop();
}

void SheetDialog::forecast() {
    if (const std::optional<SheetPlan> plan = planNow()) {
        estimate_.ask(*plan, document_, catalog_, options_);
    }
}

}  // namespace lowtide::ui
