#pragma once
// Noise levels by the names that users of ComfyUI know, for every noise process.

#include "plugin/sampling/scheduler_config.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// The noise levels that a model was trained at, and its time at the levels between them.
struct TrainedLevels {
    std::vector<float> sigmas;  ///< rising
    /// The model's time at a level; of models with training timesteps the nearest of them.
    std::function<double(double sigma)> timeAt{};
    /// The level at a time.
    std::function<double(double time)> sigmaAt{};
    /// The level after a fraction above 0 and below 1 of the way from noise to clean latents.
    std::function<double(double fraction)> sigmaAfter{};
};

/// Of a checkpoint's settings, in double, rounded to float32 at the end. A model whose shift
/// follows the size of the image has 10,000 levels, other flows 1000.
[[nodiscard]] TrainedLevels trainedLevels(const SchedulerConfig& config);

/// A schedule as users choose it.
struct NamedSchedule {
    std::string name;
    std::string label;
    /// `steps` falling levels above 0; a few have one more or less than was asked for.
    std::function<std::vector<double>(const TrainedLevels& trained, int steps)> levels;
};

/// All schedules: normal, simple, sgm_uniform, ...
[[nodiscard]] std::span<const NamedSchedule> namedSchedules();

/// Error{InvalidInput} on "schedule" lists what there is.
[[nodiscard]] const NamedSchedule& scheduleNamed(const std::string& name);

/// What of a schedule is visited.
struct ScheduledSteps {
    int steps = 20;
    /// Below 1: all steps are taken over this fraction of the schedule, the last one, which then
    /// has steps / fraction steps.
    double fraction = 1;
    bool dropsPenultimate = false;  ///< as SolverType has it
    int first = 0;                  ///< steps before this one are left out
    int end = -1;                   ///< the pass ends before this step; -1: at the end
    bool keepsNoise = false;        ///< else a pass that ends early ends at 0
};

/// The levels that the steps visit, with the one after the last step; nothing where the fraction is
/// 0. Error{InvalidInput} on "start_step" where no step is left.
[[nodiscard]] std::vector<float> scheduledLevels(const NamedSchedule& schedule,
                                                 const TrainedLevels& trained,
                                                 const ScheduledSteps& asked);

}  // namespace lowtide::sampling
