#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace lowtide::sampling {

/// Foretells a tensor that was not computed from those that were: the network's output, or what its
/// blocks add. One object for each pass, branch, tile and expert; all tensors have one shape. The
/// tensors that it keeps are never written to, and neither may be what it gives.
class StepPredictor {
public:
    virtual ~StepPredictor() = default;

    /// The value computed at `time`, any number that orders the steps of a pass; one at the time of
    /// the newest takes its place.
    virtual void observe(double time, const at::Tensor& value) = 0;

    /// Whether enough was observed to predict.
    [[nodiscard]] virtual bool isReady() const = 0;

    /// The value at `time`, when isReady().
    [[nodiscard]] virtual at::Tensor predict(double time) const = 0;

    /// Forgets what the next observation will push out, so that both are never held at once. Until
    /// then it may not be ready.
    virtual void makeRoom() = 0;

    /// The tensors that it keeps now.
    [[nodiscard]] virtual std::vector<at::Tensor> held() const = 0;
    /// How many they are at most, all of one shape: known before the run.
    [[nodiscard]] virtual int mostHeld() const = 0;
};

}  // namespace lowtide::sampling
