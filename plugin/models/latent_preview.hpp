#pragma once
// What a denoising stage shows of itself while it works.

#include "plugin/models/stage_requests.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/preview_pace.hpp"

#include <chrono>
#include <functional>

namespace lowtide::models {

/// Small pictures of the first latent of a batch, of a video's middle frame: one pixel for one of
/// the latent.
class LatentPreview {
public:
    using Show = std::function<void(const LivePicture&)>;

    /// Of latents of `model`, which is known to have a map to RGB; it and `show` must outlive this.
    /// The first picture comes after the pace's interval.
    LatentPreview(const ModelInfo& model, const PreviewPace& pace, const Show& show);

    /// Makes a picture where one is due; always for the shapes of a walk. `clean` gives the
    /// latents; it is not asked else.
    void look(const std::function<at::Tensor()>& clean, int done, int total, bool isWalk);

private:
    using Clock = std::chrono::steady_clock;

    const ModelInfo& model_;
    const PreviewPace pace_;
    const Show& show_;
    Clock::time_point due_;
};

}  // namespace lowtide::models
