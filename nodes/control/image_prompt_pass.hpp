#pragma once

#include "nodes/engine/image_prompts.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"

#include <c10/core/Device.h>

#include <utility>
#include <vector>

namespace lowtide::nodes {

/// The pictures of one denoising pass: what each call's cross attentions see of them.
class ImagePromptPass {
public:
    /// Brings tokens and masks to `device`. `prompts` must outlive it.
    ImagePromptPass(const ImagePrompts& prompts,
                    const models::PassCalls& calls,
                    c10::Device device);

    /// Of the entries whose share of the calls it is, in their order: rows before the positive ones
    /// see what stands for no picture.
    [[nodiscard]] std::vector<models::PictureTokens> tokensFor(
        const models::ResidualsCall& call) const;
    /// `seed` mixed with which of them are seen in a call of the pass.
    [[nodiscard]] uint64_t seenIn(int call, uint64_t seed) const;

private:
    /// An entry on the denoiser's device.
    struct Seen {
        const ImagePromptEntry* entry;
        size_t adapter;
        at::Tensor tokens;
        at::Tensor mask;
    };

    [[nodiscard]] bool isSeenIn(const Seen& seen, int call) const;
    /// The mask for the call's rows, where it is; undefined: there is none.
    [[nodiscard]] at::Tensor maskFor(const Seen& seen, const models::ResidualsCall& call) const;
    void addTokens(const Seen& seen,
                   const models::ResidualsCall& call,
                   std::vector<models::PictureTokens>& all) const;

    const models::PassCalls calls_;
    std::vector<Seen> seen_;
};

}  // namespace lowtide::nodes
