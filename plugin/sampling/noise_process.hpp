#pragma once

#include "plugin/sampling/scheduler_config.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace lowtide::sampling {

/// What latents at one noise level are made of: signal * clean + noise * (a draw of N(0, 1)).
struct Level {
    Level(float signal, float noise);

    float signal;
    float noise;
    float lambda;  ///< log of signal / noise; +inf without noise
};

/// How noise and signal mix in the latents that solvers step along, what the network is shown of
/// them and what its prediction stands for. A level is named by its sigma: noise per signal, in
/// a flow the noise itself. Immutable.
class NoiseProcess {
public:
    virtual ~NoiseProcess() = default;

    [[nodiscard]] virtual Level level(float sigma) const = 0;
    /// Latents as the network wants them.
    [[nodiscard]] virtual at::Tensor scaledInput(const at::Tensor& latents, float sigma) const = 0;
    /// The clean latents that a prediction stands for.
    [[nodiscard]] virtual at::Tensor clean(const at::Tensor& prediction,
                                           const at::Tensor& latents,
                                           float sigma) const = 0;
    /// Clean latents with noise of the level.
    [[nodiscard]] virtual at::Tensor noised(const at::Tensor& clean,
                                            const at::Tensor& noise,
                                            float sigma) const;
    /// The times that the network is given at `sigmas`, not integers.
    [[nodiscard]] virtual std::vector<float> timesAt(const std::vector<float>& sigmas) const = 0;
};

/// In which form solvers hold latents of a variance-preserving model. The other processes have one.
enum class LatentForm : uint8_t {
    Growing,     ///< clean + sigma * noise; the network sees it divided by sqrt(sigma^2 + 1)
    Preserving,  ///< the variance remains 1; the network sees it as it is
};

/// The process of a checkpoint's settings.
[[nodiscard]] std::unique_ptr<NoiseProcess> makeProcess(const SchedulerConfig& config,
                                                        LatentForm form);

}  // namespace lowtide::sampling
