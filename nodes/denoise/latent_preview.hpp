#pragma once
// What a stage shows of itself while it works.

#include "nodes/engine/stage_def.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"

#include <chrono>
#include <functional>
#include <string_view>

namespace lowtide::nodes {

/// Small images of the first latent of a batch, of a video's middle frame: one pixel for one of
/// the latent.
class LatentPreview {
public:
    using Show = std::function<void(const LiveImage&)>;

    /// Of latents of `model`, which is known to have a map to RGB; it and `show` must outlive this.
    /// The first image comes after the pace's interval.
    LatentPreview(const models::ModelInfo& model,
                  const models::PreviewPace& pace,
                  const Show& show);

    /// Makes an image where one is due; always for the shapes of a dry run. `clean` gives the
    /// latents; it is not asked else.
    void look(const std::function<at::Tensor()>& clean, int done, int total, bool isDryRun);

private:
    using Clock = std::chrono::steady_clock;

    const models::ModelInfo& model_;
    const models::PreviewPace pace_;
    const Show& show_;
    Clock::time_point due_;
};

}  // namespace lowtide::nodes
