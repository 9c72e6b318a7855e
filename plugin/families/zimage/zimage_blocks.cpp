#include "plugin/families/zimage/zimage_blocks.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/modulation.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

constexpr double kZImageHeadEpsilon = 1e-5;
/// Scale and gate of the attention, then of the feed-forward layer.
constexpr int64_t kZImageParts = 4;

/// A norm of tokens, times 1 + scale where there is one; [N, 1, width] f32.
at::Tensor scaledNorm(Pass& pass,
                      const RmsNorm& norm,
                      const at::Tensor& x,
                      const at::Tensor& scale) {
    const at::Tensor normed = norm.apply(pass, x);
    if (scale.defined()) {
        const at::Tensor factor = scale + 1;
        forTokens(x.size(1), [&](int64_t first, int64_t count) {
            const at::Tensor part = normed.narrow(1, first, count);
            part.copy_(part.to(at::kFloat).mul_(factor));
        });
    }
    return normed;
}

}  // namespace

ZImageBlock::ZImageBlock(NetworkBuilder& builder,
                         const std::string& name,
                         const ZImageConfig& config,
                         ByTime byTime)
    : modulation(byTime == ByTime::Yes ? std::optional(Linear(builder,
                                                              name + ".adaLN_modulation.0",
                                                              zimageTimeWidth(config),
                                                              kZImageParts * config.width))
                                       : std::nullopt),
      attentionNorm(builder, name + ".attention_norm1", config.width, config.normEpsilon),
      attendedNorm(builder, name + ".attention_norm2", config.width, config.normEpsilon),
      feedNorm(builder, name + ".ffn_norm1", config.width, config.normEpsilon),
      fedNorm(builder, name + ".ffn_norm2", config.width, config.normEpsilon),
      query(builder, name + ".attention.to_q", config.width, config.width, Bias::None),
      key(builder, name + ".attention.to_k", config.width, config.width, Bias::None),
      value(builder, name + ".attention.to_v", config.width, config.width, Bias::None),
      out(builder, name + ".attention.to_out.0", config.width, config.width, Bias::None),
      queryNorm(builder, name + ".attention.norm_q", config.headWidth(), kZImageHeadEpsilon),
      keyNorm(builder, name + ".attention.norm_k", config.headWidth(), kZImageHeadEpsilon),
      feed(builder, name + ".feed_forward", config.width, 8 * config.width / 3),
      heads(config.heads) {}

at::Tensor ZImageBlock::attended(Pass& pass, const at::Tensor& x, const Rotation& rotation) const {
    const auto inHeads = [&](const at::Tensor& made) { return made.unflatten(2, {heads, -1}); };
    const auto turned = [&](const Linear& projection, const RmsNorm& norm) {
        return rotated(norm.apply(pass, inHeads(projection.apply(pass, x))), rotation)
            .transpose(1, 2);
    };
    const at::Tensor q = turned(query, queryNorm);
    const at::Tensor k = turned(key, keyNorm);
    const at::Tensor v = inHeads(value.apply(pass, x)).transpose(1, 2);
    return out.apply(pass,
                     kernels::attention(q, k, v, /*causal=*/false).transpose(1, 2).flatten(2));
}

void ZImageBlock::apply(Pass& pass,
                        const at::Tensor& hidden,
                        const at::Tensor& time,
                        const Rotation& rotation) const {
    std::vector<at::Tensor> by(kZImageParts);
    if (modulation) {
        by = modulation->apply(pass, time).to(at::kFloat).unsqueeze(1).chunk(kZImageParts, -1);
    }
    const auto add = [&](const RmsNorm& norm, const at::Tensor& made, const at::Tensor& gate) {
        const at::Tensor normed = norm.apply(pass, made);
        if (gate.defined()) {
            addGated(hidden, normed, gate.tanh());
        } else {
            hidden.add_(normed);
        }
    };
    add(attendedNorm,
        attended(pass, scaledNorm(pass, attentionNorm, hidden, by[0]), rotation),
        by[1]);
    add(fedNorm, feed.apply(pass, scaledNorm(pass, feedNorm, hidden, by[2])), by[3]);
}

}  // namespace lowtide::models
