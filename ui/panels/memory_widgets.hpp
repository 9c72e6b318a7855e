#pragma once

#include "ui/panels/budget_slider.hpp"
#include "ui/panels/component_chips.hpp"
#include "ui/panels/device_chooser.hpp"
#include "ui/panels/fold.hpp"
#include "ui/panels/measured_chart.hpp"
#include "ui/panels/memory_gauge.hpp"
#include "ui/panels/memory_panel.hpp"
#include "ui/panels/notice.hpp"
#include "ui/panels/plan_bars.hpp"
#include "ui/panels/run_times.hpp"
#include "ui/panels/timeline_chart.hpp"

#include <QBoxLayout>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

namespace lowtide::ui {

/// The parts of the memory panel, what matters most first, and what it remembers of runs: what the
/// plan needs, always in sight; its bars, and beside them, or below where there is no room, what
/// can be changed. Both scroll.
struct MemoryPanel::Widgets {
    explicit Widgets(MemoryPanel* panel);

    void buildHeading(QWidget* part);
    void buildPlan(QWidget* part);
    void buildState(QWidget* part);
    [[nodiscard]] QWidget* buildDetails();
    /// The panel is so wide now.
    void spread(int width);

    QScrollArea* besidePlan;  ///< holds `state` where there is room, else hidden
    QWidget* plan;
    QWidget* state;
    QBoxLayout* settings = nullptr;
    QLabel* summary = nullptr;
    QPushButton* measure = nullptr;
    Notice* refusal = nullptr;
    Notice* slower = nullptr;
    Notice* chore = nullptr;  ///< why something that was asked for was not done
    PlanBars* bars = nullptr;
    DeviceChooser* device = nullptr;
    QLabel* cardNote = nullptr;  ///< while a card is planned for
    BudgetSlider* budget = nullptr;
    MemoryGauge* gauge = nullptr;
    MemoryGauge* hostGauge = nullptr;
    ComponentChips* chips = nullptr;
    QPushButton* releaseAll = nullptr;
    Fold* details = nullptr;
    QLabel* measuredNote = nullptr;
    TimelineChart* timeline = nullptr;
    MeasuredChart* measured = nullptr;
    QLabel* timesNote = nullptr;

    TimelineRecorder recorder;
    QElapsedTimer clock;
    RunTimes times;
    quint64 followed = 0;  ///< the run that is shown, or was last

    [[nodiscard]] double now() const { return static_cast<double>(clock.elapsed()) / 1000; }
};

}  // namespace lowtide::ui
