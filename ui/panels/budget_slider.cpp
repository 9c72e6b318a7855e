#include "ui/panels/budget_slider.hpp"

#include "plugin/memory/device_spec.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/panels/budget_text.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kSteps = 96;      ///< below the right end, which is without a bound
constexpr double kOctaves = 9;  ///< from the largest down to its 512th part
constexpr int kUnbounded = kSteps + 1;

}  // namespace

BudgetSlider::BudgetSlider(QWidget* parent)
    : QWidget(parent),
      slider_(new QSlider(Qt::Horizontal, this)),
      field_(new QLineEdit(this)),
      note_(new QLabel(this)) {
    setObjectName("budget");
    slider_->setObjectName("budgetSlider");
    slider_->setRange(0, kUnbounded);
    slider_->setPageStep(8);
    slider_->setAccessibleName(tr("Memory budget"));
    field_->setObjectName("budgetField");
    field_->setPlaceholderText(tr("no limit"));
    field_->setFixedWidth(Theme::space(22));
    field_->setAccessibleName(tr("Memory budget, exact"));
    note_->setObjectName("budgetNote");
    note_->setFont(Theme::current().font("small"));
    note_->setWordWrap(true);
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(Theme::space(2));
    layout->setVerticalSpacing(Theme::space(1));
    layout->addWidget(slider_, 0, 0);
    layout->addWidget(field_, 0, 1);
    layout->addWidget(note_, 1, 0, 1, 2);
    connect(slider_, &QSlider::valueChanged, this, &BudgetSlider::takeSlider);
    connect(slider_, &QSlider::sliderReleased, this, [this] { Q_EMIT edited(stated_, true); });
    EditSession::watch(*field_, [this] { return takeText(); });
    showBudget();
}

std::optional<Bytes> BudgetSlider::budgetAt(int step) const {
    if (step >= kUnbounded) {
        return std::nullopt;
    }
    const double octaves = kOctaves * (1 - static_cast<double>(step) / kSteps);
    const double bytes = static_cast<double>(largest_) / std::exp2(octaves);
    return std::min(largest_, roundedUp(static_cast<Bytes>(bytes)));
}

int BudgetSlider::stepOf(std::optional<Bytes> budget) const {
    if (!budget || *budget <= 0) {
        return kUnbounded;
    }
    const double octaves = std::log2(static_cast<double>(largest_) / static_cast<double>(*budget));
    return static_cast<int>(
        std::clamp(std::lround(kSteps * (1 - octaves / kOctaves)), 0L, long{kSteps}));
}

void BudgetSlider::setRange(Bytes largest, Bytes least) {
    largest_ = std::max<Bytes>(largest, kMiB);
    least_ = least;
    showBudget();
}

void BudgetSlider::setBudget(std::optional<std::string> stated, const std::string& device) {
    stated_ = std::move(stated);
    device_ = device;
    showBudget();
}

std::optional<Bytes> BudgetSlider::budget() const {
    return budgetOf(stated_.value_or(""), device_);
}

void BudgetSlider::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape || !field_->isModified()) {
        QWidget::keyPressEvent(event);
        return;
    }
    forgetTyped();
    showBudget();
}

/// The value before it, or another one, takes its place.
void BudgetSlider::forgetTyped() {
    problem_.clear();
    field_->setModified(false);
}

void BudgetSlider::takeSlider(int step) {
    forgetTyped();
    const std::optional<Bytes> size = budgetAt(step);
    const std::string others = stated_.value_or("");
    stated_ = statedBudget(QString::fromStdString(
        memory::withMain(others, device_, size ? budgetText(*size) : std::string())));
    showBudget();
    Q_EMIT edited(stated_, !slider_->isSliderDown());
}

bool BudgetSlider::takeText() {
    problem_ = budgetProblem(field_->text());
    if (!problem_.isEmpty()) {
        showBudget();
        return false;
    }
    const std::optional<std::string> typed = statedBudget(field_->text());
    const std::optional<Bytes> size = parseBytes(typed.value_or(""));
    const std::optional<std::string> before =
        std::exchange(stated_, size ? std::optional(budgetText(*size)) : typed);
    showBudget();
    if (stated_ != before) {
        Q_EMIT edited(stated_, true);
    }
    return true;
}

void BudgetSlider::showBudget() {
    const QSignalBlocker silence(slider_);
    // Where the slider stands is kept when it means the same: a rounded figure may lie nearer to
    // the next step, and the keys would never get past it.
    if (!slider_->isSliderDown() && budgetAt(slider_->value()) != budget()) {
        slider_->setValue(stepOf(budget()));
    }
    if (problem_.isEmpty()) {
        EditSession::showUnlessTyped(*field_, QString::fromStdString(stated_.value_or("")));
    }
    note_->setText(!problem_.isEmpty() ? problem_
                   : least_ > 0        ? tr("Needs at least %1").arg(bytesText(least_))
                   : budget()          ? tr("At most %1").arg(bytesText(*budget()))
                                       : tr("No limit: all that is free"));
}

}  // namespace lowtide::ui
