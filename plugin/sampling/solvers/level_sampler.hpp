#pragma once
// A solver along the levels of one pass, as the loop and its planners see a sampler.

#include "plugin/sampling/named_schedule.hpp"
#include "plugin/sampling/noise_process.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/solvers/solver.hpp"

#include <memory>
#include <vector>

namespace lowtide::sampling {

/// Settings of a checkpoint for a schedule that a user chose: its own sampler's are left out.
/// Errors: as readSchedulerConfig().
[[nodiscard]] SchedulerConfig solverConfig(const Json& checkpointConfig, int steps);

/// Levels alone make a pass: it begins without a history and leaves none. Which calls the solver
/// makes is found by running it over one number.
class LevelSampler final : public Sampler {
public:
    /// `sigmas`: two or more, falling, float32.
    LevelSampler(const SolverType& type,
                 const SchedulerConfig& config,
                 const std::vector<float>& sigmas);

    [[nodiscard]] const LevelSampler* alongLevels() const override { return this; }

    [[nodiscard]] const SolverType& type() const { return type_; }

    [[nodiscard]] const Schedule& schedule() const override { return schedule_; }

    [[nodiscard]] int stepCount() const override { return static_cast<int>(begins_.size()); }

    [[nodiscard]] int firstCall(int step) const override;

    [[nodiscard]] int solverStage(int call) const override {
        return stages_[static_cast<size_t>(call)];
    }

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int call) const override;
    [[nodiscard]] at::Tensor cleanAt(const at::Tensor& prediction,
                                     const at::Tensor& latents,
                                     int call) const override;
    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override;

    /// A pass of this sampler is not parted into steps: solve() takes them all.
    [[nodiscard]] at::Tensor step(const at::Tensor& prediction,
                                  int call,
                                  const at::Tensor& latents,
                                  const std::function<at::Tensor(at::IntArrayRef)>& noise) override;

    /// All steps; `run` has the two functions, and gets the levels.
    [[nodiscard]] at::Tensor solve(SolverRun run, const at::Tensor& latents) const;

    [[nodiscard]] const NoiseProcess& process() const { return *process_; }

    /// The network's time at a level, as the schedule holds times.
    [[nodiscard]] at::Tensor timeAt(double sigma) const;

    /// As addNoise(), at any level. Latents that grow begin at the highest level of the training
    /// with the variance that they have there.
    [[nodiscard]] at::Tensor noised(const at::Tensor& clean,
                                    const at::Tensor& noise,
                                    double sigma) const;

    [[nodiscard]] bool isFlow() const { return isFlow_; }

    /// The levels that are visited, the one at the end included.
    [[nodiscard]] const std::vector<double>& sigmas() const { return sigmas_; }

    /// Lowest of them above 0.
    [[nodiscard]] double lowest() const;

private:
    void traceCalls();

    const SolverType& type_;
    std::unique_ptr<const NoiseProcess> process_;
    TrainedLevels trained_;
    bool isFlow_;
    bool hasWholeTimes_;
    std::vector<double> sigmas_;
    Schedule schedule_;
    std::vector<int> stages_;  ///< of every call
    std::vector<int> begins_;  ///< calls that steps begin with
};

}  // namespace lowtide::sampling
