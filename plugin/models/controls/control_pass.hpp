#pragma once

#include "plugin/models/blocks/pass.hpp"
#include "plugin/models/controls/controls.hpp"
#include "plugin/models/denoisers/unet2d_residuals.hpp"
#include "plugin/models/model.hpp"
#include "plugin/models/stage_context.hpp"

#include <vector>

namespace lowtide::models {

class ControlNetwork;

/// The denoising pass that ControlNets accompany.
struct ControlledCalls {
    Shape latents;          ///< [B, C, h, w]
    bool isGuided = false;  ///< its calls have two halves
    int count = 0;          ///< of calls
};

/// The ControlNets of one denoising pass: before each call of the denoiser those run whose share of
/// the calls it is, one after another, and what they find is summed. Source: diffusers 0.42.1,
/// StableDiffusionControlNetPipeline (controlnet_keep) and MultiControlNetModel.
class ControlPass {
public:
    /// Brings the hints to the size of the pictures. What `context` refers to and `controls` must
    /// outlive it. Records control.pixels, and from the first call controlnet.down and .mid.
    ControlPass(StageContext& context, const Controls& controls, const ControlledCalls& calls);

    /// Empty where no ControlNet runs in this call.
    [[nodiscard]] UNetResiduals residuals(const ResidualsCall& call);

private:
    /// One hint, and the network that follows it.
    struct Follower {
        const ControlNetwork& network;
        Pass pass;
        ControlSettings settings;
        at::Tensor hint;  ///< [1 or B, 3, f h, f w], as the network reads it

        [[nodiscard]] bool isForPositives() const;
    };

    [[nodiscard]] Follower follower(StageContext& context, const Controls& controls, size_t index);
    [[nodiscard]] bool runsIn(const Follower& follower, int call) const;
    /// Scaled results for the last `rows` of the call.
    [[nodiscard]] std::vector<at::Tensor> follow(Follower& follower,
                                                 const ResidualsCall& call,
                                                 int64_t rows);
    void recordFirst(const UNetResiduals& residuals);

    const ControlledCalls calls_;
    tensor::Record record_;
    ShapeWalk* walk_;
    std::vector<Follower> followers_;
    bool isRecorded_ = false;
};

}  // namespace lowtide::models
