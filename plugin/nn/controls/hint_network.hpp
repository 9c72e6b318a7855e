#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

class Pass;
struct UNetConditioning;

/// A network that reads a hint picture and says what is added inside a denoiser. The tree is made
/// from headers; weights are read through the pass.
class HintNetwork {
public:
    /// Pattern of the passes of steps (memory::PassHint).
    static constexpr uint32_t kStepPattern = 0;

    virtual ~HintNetwork() = default;

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Channels of the hint are blue, green, red.
    [[nodiscard]] virtual bool takesBgr() const { return false; }

    /// The positive half of a guided call is all that it speaks in.
    [[nodiscard]] virtual bool isForPositives() const { return false; }

    /// Channels of the latent that a step reads; 0: what is read of the hint is all that there is,
    /// residuals of the blocks of the way down.
    [[nodiscard]] virtual int64_t stepChannels() const { return 0; }

    /// Pattern of the passes that read hints: their leaves are others than those of steps.
    [[nodiscard]] uint32_t hintPattern() const { return stepChannels() > 0 ? 1 : kStepPattern; }

    /// What is the same in every step: a pass of its own. hint [N, 3, H, W] in 0..1 on the pass's
    /// device -> contiguous f32 with N rows. `next`: pattern of the pass behind it.
    [[nodiscard]] virtual std::vector<at::Tensor> readHint(Pass& pass,
                                                           const at::Tensor& hint,
                                                           uint32_t next) const = 0;

    /// Residuals for the skips in the order in which they arise, and behind them the middle's: f32,
    /// contiguous, of their own memory. latents [N, stepChannels(), h, w] on the pass's device;
    /// timestep 0-d on the CPU; conditioning for N pictures; `hint`: what readHint() gave, with 1
    /// or N rows.
    [[nodiscard]] virtual std::vector<at::Tensor> predict(Pass& pass,
                                                          const at::Tensor& latents,
                                                          const at::Tensor& timestep,
                                                          const UNetConditioning& conditioning,
                                                          const at::Tensor& hint) const = 0;

protected:
    std::shared_ptr<const memory::ComponentTree> tree_;
};

}  // namespace lowtide::models
