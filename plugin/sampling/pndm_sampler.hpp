#pragma once

#include "plugin/sampling/history.hpp"
#include "plugin/sampling/signal_sampler.hpp"

namespace lowtide::sampling {

/// Settings of a PNDMScheduler.
struct PndmSettings {
    SchedulerConfig common;
    bool endsClean = false;  ///< set_alpha_to_one; else at the signal of timestep 0
};

[[nodiscard]] PndmSettings readPndm(const Json& config,
                                    const std::string& label,
                                    const ScheduleOptions& options);

/// What PNDM with and without Runge-Kutta steps share: the way between two timesteps and the
/// multistep combination of predictions. Source: Liu et al. 2022 (arXiv 2202.09778); values:
/// PNDMScheduler.
class PndmSampler : public SignalSampler {
public:
    [[nodiscard]] int stepCount() const override { return steps_; }

    [[nodiscard]] int historyLength() const override { return static_cast<int>(kBefore); }

    void save(tensor::SamplerCarry& carry) const override { carry.history = before_.entries(); }

    void restore(const tensor::SamplerCarry& carry) override { before_.restore(carry.history); }

protected:
    static constexpr size_t kBefore = 3;  ///< predictions of calls before that a step reads

    /// `calls`: the timesteps of all network calls of the schedule.
    PndmSampler(const PndmSettings& settings,
                const ScheduleOptions& options,
                const std::vector<double>& calls);

    /// Training timesteps in one step.
    [[nodiscard]] int64_t stride() const { return stride_; }

    /// Call `call` goes to the clean latents, where a shortened run ends.
    void endWith(int call) { lastCall_ = call; }

    /// The latents that call `call` steps to, at timestep `to` (below 0: the end), from those at
    /// `from`; eq. 9.
    [[nodiscard]] at::Tensor moved(const at::Tensor& latents,
                                   const at::Tensor& prediction,
                                   int call,
                                   int64_t from,
                                   int64_t to) const;
    /// The multistep combination of a prediction with those of the steps before; remembers it.
    [[nodiscard]] at::Tensor combined(const at::Tensor& prediction);

    /// A multistep step from the timestep of `call` to the one a stride below.
    [[nodiscard]] at::Tensor multistep(const at::Tensor& prediction,
                                       int call,
                                       const at::Tensor& latents);

    History before_{kBefore};  ///< predictions of the steps before

private:
    int steps_;
    int64_t stride_;
    float finalAlpha_;
    int lastCall_ = -1;
};

}  // namespace lowtide::sampling
