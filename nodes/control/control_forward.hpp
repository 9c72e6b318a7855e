#pragma once
// Runs the ControlNets whose range includes the call, before each call of the denoiser.

#include "nodes/engine/controls.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace lowtide::models {
class HintNetwork;
}

namespace lowtide::nodes {

/// The ControlNets of one denoising pass: before each call of the denoiser those run whose range
/// includes the call, one after another, and what they find is summed. Source: diffusers 0.42.1,
/// StableDiffusionControlNetPipeline (controlnet_keep) and MultiControlNetModel.
class ControlForward {
public:
    /// Brings the hints to the size of the images. What `context` refers to and `controls` must
    /// outlive it. Records control.pixels, and from the first call controlnet.down and .mid.
    ControlForward(models::StageContext& context,
                   const Controls& controls,
                   const models::SpareCalls& calls);

    /// Empty where no ControlNet runs in this call.
    [[nodiscard]] models::UNetResiduals residuals(const models::ResidualsCall& call);
    /// `seed` mixed with which of them run in a call of the pass.
    [[nodiscard]] uint64_t runningIn(int call, uint64_t seed) const;

private:
    /// One hint, and the network that follows it.
    struct Follower {
        const models::HintNetwork& network;
        models::Forward forward;
        ControlSettings settings;
        at::Tensor hint;  ///< [1 or B, 3, f h, f w], in its channels' order
        /// What was read of it in areas of the latent.
        std::vector<std::pair<std::optional<models::LatentArea>, std::vector<at::Tensor>>> read{};

        [[nodiscard]] bool isForPositives() const;
        /// nullptr: it was not read there yet.
        [[nodiscard]] const std::vector<at::Tensor>* readIn(
            const std::optional<models::LatentArea>& area) const;
    };

    [[nodiscard]] Follower follower(models::StageContext& context,
                                    const Controls& controls,
                                    size_t index);
    [[nodiscard]] at::Tensor hintOf(const ControlEntry& entry, Follower& follower) const;
    [[nodiscard]] bool runsIn(const Follower& follower, int call) const;
    /// The followers that run in the call, with the rows that are theirs, the last ones.
    [[nodiscard]] std::vector<std::pair<Follower*, int64_t>> running(
        const models::ResidualsCall& call);
    /// Reads the hint where the call is. `next`: pattern of the network's forward behind it.
    void read(Follower& follower, const std::optional<models::LatentArea>& area, uint32_t next);
    /// Reads the hints of those that were not read where the call is.
    void readMissing(const std::vector<std::pair<Follower*, int64_t>>& followers,
                     const models::ResidualsCall& call);
    /// Scaled residuals of the last `rows`.
    [[nodiscard]] models::UNetResiduals follow(Follower& follower,
                                               const models::ResidualsCall& call,
                                               int64_t rows);
    [[nodiscard]] std::vector<at::Tensor> predicted(Follower& follower,
                                                    const models::ResidualsCall& call,
                                                    int64_t rows);
    void recordFirst(const models::UNetResiduals& residuals);

    const models::SpareCalls calls_;
    tensor::Record record_;
    models::DryRun* dryRun_;
    models::ResultChecks* finite_;
    std::vector<Follower> followers_;
    bool isRecorded_ = false;
};

}  // namespace lowtide::nodes
