#pragma once
// What transformers do to their tokens by the time: norms that are moved and scaled, sums that are
// weighed. A few thousand tokens at a time, so that what is wider is never held for all.

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>

namespace lowtide::models {

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
/// hidden += gate * added, in f32; gate [N, 1, width].
void addGated(const at::Tensor& hidden, const at::Tensor& added, const at::Tensor& gate);

}  // namespace lowtide::models
