#include "plugin/families/hidream/hidream_blocks.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/modulation.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

constexpr double kNormEpsilon = 1e-6;
constexpr double kHeadNormEpsilon = 1e-5;
/// Shift, scale and gate of the attention, then of the feed-forward layer.
constexpr int64_t kPartsOfTokens = 6;

/// Each [N, 1, width] f32.
std::vector<at::Tensor> modulationsOf(Pass& pass,
                                      const Linear& modulation,
                                      const at::Tensor& time,
                                      int64_t count) {
    return modulation.apply(pass, time).to(at::kFloat).unsqueeze(1).chunk(count, -1);
}

/// Queries, keys and values of tokens, [N, T, width] each.
struct Projected {
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
};

/// The keys of tokens that fill a picture up are 0.
Projected projected(Pass& pass,
                    const HiDreamProjections& by,
                    const at::Tensor& x,
                    const at::Tensor& fill) {
    Projected made{.query = by.queryNorm.apply(pass, by.query.apply(pass, x)),
                   .key = by.keyNorm.apply(pass, by.key.apply(pass, x)),
                   .value = by.value.apply(pass, x)};
    if (fill.defined()) {
        made.key.narrow(1, 0, fill.size(1)).mul_(fill);
    }
    return made;
}

/// [N, T, width].
at::Tensor attended(Projected all, const Rotation& rotation, int64_t heads) {
    const auto inHeads = [&](const at::Tensor& x) { return x.unflatten(2, {heads, -1}); };
    const at::Tensor q = rotated(inHeads(all.query), rotation).transpose(1, 2);
    all.query.reset();
    const at::Tensor k = rotated(inHeads(all.key), rotation).transpose(1, 2);
    all.key.reset();
    return kernels::attention(q, k, inHeads(all.value).transpose(1, 2), /*causal=*/false)
        .transpose(1, 2)
        .flatten(2);
}

/// Two kinds of tokens, the first one's in front.
at::Tensor oneBehindTheOther(at::Tensor& first, at::Tensor& second) {
    at::Tensor row = at::cat({first, second}, 1);
    first.reset();
    second.reset();
    return row;
}

}  // namespace

HiDreamProjections::HiDreamProjections(NetworkBuilder& builder,
                                       const std::string& name,
                                       const std::string& suffix,
                                       const HiDreamConfig& config)
    : query(builder, name + ".to_q" + suffix, config.width(), config.width()),
      key(builder, name + ".to_k" + suffix, config.width(), config.width()),
      value(builder, name + ".to_v" + suffix, config.width(), config.width()),
      out(builder, name + ".to_out" + suffix, config.width(), config.width()),
      queryNorm(builder, name + ".q_rms_norm" + suffix, config.width(), kHeadNormEpsilon),
      keyNorm(builder, name + ".k_rms_norm" + suffix, config.width(), kHeadNormEpsilon) {}

HiDreamDoubleBlock::HiDreamDoubleBlock(NetworkBuilder& builder,
                                       const std::string& name,
                                       const HiDreamConfig& config)
    : modulation(builder,
                 name + ".adaLN_modulation.1",
                 config.width(),
                 2 * kPartsOfTokens * config.width()),
      picture(builder, name + ".attn1", "", config),
      text(builder, name + ".attn1", "_t", config),
      pictureFeed(builder, name + ".ff_i", config),
      textFeed(builder, name + ".ff_t", config.width(), hidreamInnerWidth(4 * config.width())),
      heads(config.heads) {}

void HiDreamDoubleBlock::apply(Pass& pass,
                               const at::Tensor& hidden,
                               const at::Tensor& texts,
                               const HiDreamContext& context) const {
    const std::vector<at::Tensor> by =
        modulationsOf(pass, modulation, context.time, 2 * kPartsOfTokens);
    const auto ofText = [&](int64_t part) {
        return by[static_cast<size_t>(kPartsOfTokens + part)];
    };
    at::Tensor found;
    {
        Projected own = projected(
            pass, picture, modulatedNorm(hidden, by[0], by[1], kNormEpsilon), context.fill);
        Projected others =
            projected(pass, text, modulatedNorm(texts, ofText(0), ofText(1), kNormEpsilon), {});
        found = attended({.query = oneBehindTheOther(own.query, others.query),
                          .key = oneBehindTheOther(own.key, others.key),
                          .value = oneBehindTheOther(own.value, others.value)},
                         context.rotation,
                         heads);
    }
    const int64_t count = hidden.size(1);
    addGated(hidden, picture.out.apply(pass, found.narrow(1, 0, count)), by[2]);
    addGated(texts, text.out.apply(pass, found.narrow(1, count, texts.size(1))), ofText(2));
    found.reset();
    addGated(
        hidden, pictureFeed.apply(pass, modulatedNorm(hidden, by[3], by[4], kNormEpsilon)), by[5]);
    addGated(texts,
             textFeed.apply(pass, modulatedNorm(texts, ofText(3), ofText(4), kNormEpsilon)),
             ofText(5));
}

HiDreamSingleBlock::HiDreamSingleBlock(NetworkBuilder& builder,
                                       const std::string& name,
                                       const HiDreamConfig& config)
    : modulation(
          builder, name + ".adaLN_modulation.1", config.width(), kPartsOfTokens * config.width()),
      all(builder, name + ".attn1", "", config),
      feed(builder, name + ".ff_i", config),
      heads(config.heads) {}

void HiDreamSingleBlock::apply(Pass& pass,
                               const at::Tensor& hidden,
                               const HiDreamContext& context) const {
    const std::vector<at::Tensor> by =
        modulationsOf(pass, modulation, context.time, kPartsOfTokens);
    addGated(hidden,
             all.out.apply(pass,
                           attended(projected(pass,
                                              all,
                                              modulatedNorm(hidden, by[0], by[1], kNormEpsilon),
                                              context.fill),
                                    context.rotation,
                                    heads)),
             by[2]);
    addGated(hidden, feed.apply(pass, modulatedNorm(hidden, by[3], by[4], kNormEpsilon)), by[5]);
}

}  // namespace lowtide::models
