#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/noise_process.hpp"
#include "plugin/sampling/own_levels.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <limits>

namespace lowtide::sampling {

/// What differs between the classes' schedules.
struct SolverGrid {
    double lambdaMinClipped = -std::numeric_limits<double>::infinity();
    /// Where there is noise left at the end, a spread of sigmas ends with its last one twice; else
    /// with the lowest of the training.
    bool repeatsLastSigma = false;
    FlowPlaces flow = FlowPlaces::DpmSolver;
};

/// What the DPM, DEIS and UniPC solvers share: steps in the logarithm of the signal-to-noise ratio.
class LogSnrSolver : public Sampler {
public:
    [[nodiscard]] const Schedule& schedule() const override { return schedule_; }

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int call) const override {
        return process_->scaledInput(latents, sigma(call));
    }

    [[nodiscard]] at::Tensor cleanAt(const at::Tensor& prediction,
                                     const at::Tensor& latents,
                                     int call) const override {
        return process_->clean(prediction, latents, sigma(call));
    }

    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override {
        return process_->noised(clean, noise, sigma(call));
    }

protected:
    LogSnrSolver(const SchedulerConfig& config,
                 const SolverGrid& grid,
                 const ScheduleOptions& options);

    [[nodiscard]] Level level(int call) const { return process_->level(sigma(call)); }

    /// The call leaves no noise: of full order it would divide by an infinite distance.
    [[nodiscard]] bool goesToZero(int call) const { return sigma(call + 1) == 0; }

private:
    [[nodiscard]] float sigma(int call) const { return sigmas_[static_cast<size_t>(call)]; }

    std::unique_ptr<const NoiseProcess> process_;
    Schedule schedule_;
    std::vector<float> sigmas_;  ///< the schedule's, with 0 where a shortened run ends
};

/// Order of a multistep solver at call `call` of `calls`, with `before` predictions of calls
/// before: few steps are steadier when the last two of them are of lower order.
[[nodiscard]] int64_t multistepOrder(
    int64_t order, size_t before, int call, int calls, bool lowerOrderFinal);

/// Refuses the settings that all of these classes have and that are not built, and reads
/// solver_order, 1 to 3.
[[nodiscard]] int64_t readSolverOrder(const JsonReader& reader);
/// The value of solver_type or algorithm_type: one of `own`, or the first of them for a value of
/// `others`, which mean another class of solvers. Error{Unsupported} for any other.
[[nodiscard]] std::string readKind(const JsonReader& reader,
                                   const char* key,
                                   const std::vector<std::string>& own,
                                   const std::vector<std::string>& others);

}  // namespace lowtide::sampling
