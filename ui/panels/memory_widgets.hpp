#pragma once

#include "ui/bridge/background.hpp"
#include "ui/panels/budget_slider.hpp"
#include "ui/panels/component_chips.hpp"
#include "ui/panels/device_chooser.hpp"
#include "ui/panels/measured_chart.hpp"
#include "ui/panels/memory_gauge.hpp"
#include "ui/panels/memory_panel.hpp"
#include "ui/panels/notice.hpp"
#include "ui/panels/plan_bars.hpp"
#include "ui/panels/run_times.hpp"
#include "ui/panels/timeline_chart.hpp"

#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace lowtide::ui {

/// The parts of the memory panel from top to bottom, and what it remembers of runs.
struct MemoryPanel::Widgets {
    explicit Widgets(MemoryPanel* panel);

    QLabel* addTitle(const char* name, const QString& text);
    QLabel* addLine(const char* name);

    QWidget* content;
    QVBoxLayout* column;
    DeviceChooser* device;
    BudgetSlider* budget;
    QLabel* summary;
    Notice* refusal;
    PlanBars* bars;
    QLabel* planNote;
    MemoryGauge* gauge;
    MemoryGauge* hostGauge;
    QLabel* runTitle;
    Notice* slower;
    TimelineChart* timeline;
    MeasuredChart* measured;
    QLabel* measuredNote;
    ComponentChips* chips;
    QPushButton* releaseAll;
    Notice* releaseNote;

    TimelineRecorder recorder;
    QElapsedTimer clock;
    RunTimes times;
    quint64 followed = 0;  ///< the run that is shown, or was last
    Background background;

    [[nodiscard]] double now() const { return static_cast<double>(clock.elapsed()) / 1000; }
};

}  // namespace lowtide::ui
