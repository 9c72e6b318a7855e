#include "ui/panels/memory_widgets.hpp"

#include "ui/panels/column_in.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QResizeEvent>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// From this width on what can be changed stands beside the plan.
constexpr int kWidePanel = Theme::space(150);
constexpr int kBesideMargins = Theme::space(9);  ///< on both sides, and a scroll bar

QLabel* makeLabel(const char* name, const char* font, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setFont(Theme::current().font(font));
    label->setWordWrap(true);
    return label;
}

QPushButton* makeButton(const char* name, const QString& text, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    return button;
}

QHBoxLayout* rowOf(QWidget* wide, QWidget* narrow, Qt::Alignment alignment = {}) {
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::space(2));
    row->addWidget(wide, 1);
    row->addWidget(narrow, 0, alignment);
    return row;
}

/// Its content stands below each other.
QScrollArea* makeScroll(const char* name, const QString& spoken, QWidget* parent) {
    auto* scroll = new QScrollArea(parent);
    scroll->setObjectName(QLatin1String(name));
    scroll->setAccessibleName(spoken);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(Theme::space(3), Theme::space(2), Theme::space(3), Theme::space(3));
    column->setSpacing(Theme::space(3));
    scroll->setWidget(content);
    return scroll;
}

}  // namespace

MemoryPanel::Widgets::Widgets(MemoryPanel* panel)
    : besidePlan(makeScroll("memoryBeside", tr("Device and budget"), panel)),
      plan(new QWidget),
      state(new QWidget) {
    auto* heading = new QWidget(panel);
    buildHeading(heading);
    buildPlan(plan);
    buildState(state);
    QScrollArea* scroll = makeScroll("memoryScroll", tr("Plan"), panel);
    scroll->widget()->layout()->addWidget(plan);
    auto* first = new QVBoxLayout;
    first->setSpacing(0);
    first->addWidget(heading);
    first->addWidget(scroll, 1);
    auto* halves = new QHBoxLayout(panel);
    halves->setContentsMargins(0, 0, 0, 0);
    halves->setSpacing(0);
    halves->addLayout(first, 1);
    halves->addWidget(besidePlan, 1);
    spread(panel->width());
}

void MemoryPanel::Widgets::buildHeading(QWidget* part) {
    summary = makeLabel("summary", "strong", part);
    measure = makeButton("measure", MemoryPanel::tr("Measure this device"), part);
    measure->setToolTip(
        MemoryPanel::tr("Takes a few seconds. Plans then predict the times of this machine."));
    measure->hide();
    QHBoxLayout* row = rowOf(summary, measure, Qt::AlignTop);
    row->setContentsMargins(Theme::space(3), Theme::space(2), Theme::space(3), 0);
    part->setLayout(row);
}

void MemoryPanel::Widgets::buildPlan(QWidget* part) {
    QVBoxLayout* column = columnIn(part);
    refusal = new Notice("refusal", part);
    slower = new Notice("slower", part);
    chore = new Notice("chore", part);
    bars = new PlanBars(part);
    for (QWidget* each : {static_cast<QWidget*>(refusal),
                          static_cast<QWidget*>(slower),
                          static_cast<QWidget*>(chore),
                          static_cast<QWidget*>(bars)}) {
        column->addWidget(each);
    }
    column->addStretch(1);
}

void MemoryPanel::Widgets::buildState(QWidget* part) {
    QVBoxLayout* column = columnIn(part);
    device = new DeviceChooser(part);
    cardNote = makeLabel("cardNote", "small", part);
    budget = new BudgetSlider(part);
    gauge = new MemoryGauge("gauge", part);
    hostGauge = new MemoryGauge("hostGauge", part);
    auto* heldTitle = makeLabel("heldTitle", "strong", part);
    heldTitle->setText(MemoryPanel::tr("On devices"));
    releaseAll = makeButton("releaseAll", MemoryPanel::tr("Release all"), part);
    chips = new ComponentChips(part);
    details = new Fold(MemoryPanel::tr("Last run"), buildDetails(), false, part);
    details->setObjectName("details");
    details->hide();
    settings = new QBoxLayout(QBoxLayout::LeftToRight);
    settings->setSpacing(Theme::space(2));
    settings->addWidget(device, 1, Qt::AlignTop);
    settings->addWidget(budget, 1, Qt::AlignTop);
    column->addLayout(settings);
    column->addWidget(cardNote);
    column->addWidget(gauge);
    column->addWidget(hostGauge);
    column->addLayout(rowOf(heldTitle, releaseAll));
    column->addWidget(chips);
    column->addWidget(details);
    column->addStretch(1);
}

QWidget* MemoryPanel::Widgets::buildDetails() {
    auto* part = new QWidget;
    QVBoxLayout* column = columnIn(part);
    measuredNote = makeLabel("measuredNote", "small", part);
    timeline = new TimelineChart(part);
    measured = new MeasuredChart(part);
    timesNote = makeLabel("timesNote", "small", part);
    for (QWidget* each : {static_cast<QWidget*>(measuredNote),
                          static_cast<QWidget*>(timeline),
                          static_cast<QWidget*>(measured),
                          static_cast<QWidget*>(timesNote)}) {
        column->addWidget(each);
    }
    return part;
}

void MemoryPanel::Widgets::spread(int width) {
    // Half of it must have room for device and budget beside each other, and for a scroll bar.
    const int beside = device->minimumSizeHint().width() + settings->spacing() +
                       budget->minimumSizeHint().width() + kBesideMargins;
    const bool isWide = width >= std::max(kWidePanel, 2 * beside);
    QWidget* place = isWide ? besidePlan->widget() : plan->parentWidget();
    if (state->parentWidget() != place) {
        qobject_cast<QBoxLayout*>(place->layout())->addWidget(state, 1);
    }
    besidePlan->setVisible(isWide);
    settings->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace lowtide::ui
