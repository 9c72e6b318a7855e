#pragma once
// What transformers that denoise share: norms and sums that the time moves, gated feeds, latents as
// patches, attention of texts and image in a row, and where step caches cut them.

#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Sine and cosine of `values` (f32 [N] on the CPU), cosines first: [N, width] on the forward's
/// device.
[[nodiscard]] at::Tensor sinusoids(Forward& forward, const at::Tensor& values, int64_t width);

// Norms that are moved and scaled by the time, and sums that it weighs, go a few thousand tokens at
// a time, so that what is wider is never held for all.

inline constexpr int64_t kTokensAtOnce = 4096;

/// Does `work(first, count)` for some thousand of all tokens at a time.
template <class Work>
void forTokens(int64_t all, const Work& work) {
    for (int64_t first = 0; first < all; first += kTokensAtOnce) {
        work(first, std::min(kTokensAtOnce, all - first));
    }
}

/// norm(part) factor + shift in f32, of a part of the tokens; shift and factor [N, 1, width].
[[nodiscard]] at::Tensor modulatedPart(const at::Tensor& part,
                                       const at::Tensor& shift,
                                       const at::Tensor& factor,
                                       double epsilon);
/// norm(hidden) (1 + scale) + shift in f32, as `hidden` [N, T, width] is; shift and scale [N, 1,
/// width].
[[nodiscard]] at::Tensor modulatedNorm(const at::Tensor& hidden,
                                       const at::Tensor& shift,
                                       const at::Tensor& scale,
                                       double epsilon);
/// What a layer makes of the time [N, width], for norms and sums: `count` parts, each [N, 1, width]
/// f32.
[[nodiscard]] std::vector<at::Tensor> modulationsOf(Forward& forward,
                                                    const Linear& modulation,
                                                    const at::Tensor& time,
                                                    int64_t count);
/// hidden += gate * added, in f32; gate [N, 1, width].
void addGated(const at::Tensor& hidden, const at::Tensor& added, const at::Tensor& gate);

/// silu(w1 x) * w3 x, through w2: one leaf. Source: Shazeer 2020, eq. 6; diffusers 0.42.1,
/// FeedForward of transformer_z_image.py.
struct SwiGluFeed {
    memory::LeafId leaf = 0;

    SwiGluFeed(NetworkBuilder& builder, const std::string& name, int64_t width, int64_t inner);
    /// x [..., width].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// Error{InvalidInput} on "latent" for a part of an image, where prompts are restricted to one,
/// that is no whole patches.
void requireWholePatches(const at::Tensor& latents, int64_t patch);

/// Squares of `patch` numbers a side of latents [N, C, h, w]: [N, T, patch * patch * C], a square's
/// numbers by row, column, channel. Both sides are multiples of the patch.
[[nodiscard]] at::Tensor patchNumbers(const at::Tensor& latents, int64_t patch);

/// The other way, in f32, of the first tokens: latents of `height` and `width`.
[[nodiscard]] at::Tensor fromPatchNumbers(const at::Tensor& tokens,
                                          int64_t patch,
                                          int64_t height,
                                          int64_t width);

/// Queries, keys and values of tokens, [N, T, heads, headWidth] each.
struct HeadTokens {
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
};

/// Two kinds of tokens one behind the other along axis 1; what was apart is given back.
[[nodiscard]] at::Tensor inARow(at::Tensor& first, at::Tensor& second);
[[nodiscard]] HeadTokens inARow(HeadTokens first, HeadTokens second);
/// Attention of all tokens to all, rotated by their positions: [N, T, width].
[[nodiscard]] at::Tensor attended(HeadTokens all, const Rotation& rotation);

/// An image's tokens through all blocks: `first` works on them in place, `rest` gives what the
/// blocks behind the first one make of theirs; both write to what they get. A step cache keeps the
/// tokens on both sides of the first block.
template <class First, class Rest>
at::Tensor throughBlocks(sampling::CachedCall& cached,
                         at::Tensor tokens,
                         const First& first,
                         const Rest& rest) {
    if (cached.depth() < 0) {
        first(tokens);
        tokens = rest(std::move(tokens));
        cached.finish(sampling::StepWork::Full);
        return tokens;
    }
    cached.enter(tokens);
    const at::Tensor probe = tokens.clone();
    tokens.reset();
    first(probe);
    if (cached.isReused(probe)) {
        cached.finish(sampling::StepWork::Partial);
        return cached.value(probe);
    }
    tokens = rest(probe.clone());
    cached.keep(probe, tokens);
    cached.finish(sampling::StepWork::Full);
    return tokens;
}

}  // namespace lowtide::models
