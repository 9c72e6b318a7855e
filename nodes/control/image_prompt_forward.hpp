#pragma once

#include "nodes/engine/image_prompts.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"

#include <c10/core/Device.h>

#include <utility>
#include <vector>

namespace lowtide::nodes {

/// The images of one denoising pass: what each call's cross attentions see of them.
class ImagePromptForward {
public:
    /// Brings tokens and masks to `device`. `prompts` must outlive it.
    ImagePromptForward(const ImagePrompts& prompts,
                       const models::SpareCalls& calls,
                       c10::Device device);

    /// Of the entries whose range includes the call, in their order: rows before the positive ones
    /// see what stands for no image.
    [[nodiscard]] std::vector<models::ImageTokens> tokensFor(
        const models::ResidualsCall& call) const;
    /// `seed` mixed with which of them are seen in a call of the pass.
    [[nodiscard]] uint64_t activeIn(int call, uint64_t seed) const;

private:
    /// An entry on the denoiser's device.
    struct ActivePrompt {
        const ImagePromptEntry* entry;
        size_t adapter;
        at::Tensor tokens;
        at::Tensor mask;
    };

    [[nodiscard]] bool isActiveIn(const ActivePrompt& active, int call) const;
    /// The mask for the call's rows, where it is; undefined: there is none.
    [[nodiscard]] at::Tensor maskFor(const ActivePrompt& active,
                                     const models::ResidualsCall& call) const;
    void addTokens(const ActivePrompt& active,
                   const models::ResidualsCall& call,
                   std::vector<models::ImageTokens>& all) const;

    const models::SpareCalls calls_;
    std::vector<ActivePrompt> active_;
};

}  // namespace lowtide::nodes
