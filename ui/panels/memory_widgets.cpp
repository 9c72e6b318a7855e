#include "ui/panels/memory_widgets.hpp"

#include "ui/theme/theme.hpp"

#include <QScrollArea>

namespace lowtide::ui {

QLabel* MemoryPanel::Widgets::addTitle(const char* name, const QString& text) {
    auto* title = new QLabel(text, content);
    title->setObjectName(name);
    title->setFont(Theme::current().font("strong"));
    column->addSpacing(Theme::space(2));
    column->addWidget(title);
    return title;
}

QLabel* MemoryPanel::Widgets::addLine(const char* name) {
    auto* line = new QLabel(content);
    line->setObjectName(name);
    line->setFont(Theme::current().font("small"));
    line->setWordWrap(true);
    column->addWidget(line);
    return line;
}

MemoryPanel::Widgets::Widgets(MemoryPanel* panel)
    : content(new QWidget), column(new QVBoxLayout(content)) {
    const auto add = [this](auto* widget) {
        column->addWidget(widget);
        return widget;
    };
    content->setObjectName("memoryContent");
    column->setContentsMargins(Theme::space(3), Theme::space(2), Theme::space(3), Theme::space(3));
    column->setSpacing(Theme::space(2));
    device = add(new DeviceChooser(content));
    budget = add(new BudgetSlider(content));

    addTitle("planTitle", MemoryPanel::tr("Plan"));
    summary = addLine("summary");
    refusal = add(new Notice("refusal", content));
    bars = add(new PlanBars(content));
    planNote = addLine("planNote");

    addTitle("nowTitle", MemoryPanel::tr("Now"));
    gauge = add(new MemoryGauge("gauge", content));
    hostGauge = add(new MemoryGauge("hostGauge", content));

    runTitle = addTitle("runTitle", MemoryPanel::tr("Last run"));
    slower = add(new Notice("slower", content));
    timeline = add(new TimelineChart(content));
    measured = add(new MeasuredChart(content));
    measuredNote = addLine("measuredNote");

    addTitle("heldTitle", MemoryPanel::tr("On devices"));
    chips = add(new ComponentChips(content));
    releaseAll = add(new QPushButton(MemoryPanel::tr("Release all"), content));
    releaseAll->setObjectName("releaseAll");
    releaseNote = add(new Notice("releaseNote", content));
    column->addStretch(1);
    for (QWidget* late : {static_cast<QWidget*>(timeline),
                          static_cast<QWidget*>(measured),
                          static_cast<QWidget*>(measuredNote),
                          static_cast<QWidget*>(runTitle)}) {
        late->hide();
    }
    auto* scroll = new QScrollArea(panel);
    scroll->setObjectName("memoryScroll");
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    auto* outer = new QVBoxLayout(panel);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
}

}  // namespace lowtide::ui
