#include "plugin/families/hidream/hidream_blocks.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kMostHiDreamPatch = 16;
constexpr int64_t kMostHiDreamSide = 1 << 12;
constexpr int64_t kMostExperts = 256;

void readLanguageLayers(const JsonReader& reader, HiDreamConfig& config) {
    const auto count = static_cast<size_t>(config.layers());
    if (!reader.has("llama_layers")) {
        config.languageLayers.resize(count);
        std::iota(config.languageLayers.begin(), config.languageLayers.end(), 0);
        return;
    }
    config.languageLayers = integersInRange(reader, "llama_layers", 0, count, 0, kMostLayers - 1);
}

}  // namespace

HiDreamConfig readHiDreamConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "HiDreamImageTransformer2DModel");
    const auto number = [&](const char* key, int64_t otherwise, int64_t least, int64_t most) {
        return integerInRange(reader, key, otherwise, least, most);
    };
    HiDreamConfig config;
    config.patch = number("patch_size", config.patch, 1, kMostHiDreamPatch);
    config.inChannels = number("in_channels", config.inChannels, 1, kMostChannels);
    config.outChannels = number("out_channels", config.inChannels, 1, kMostChannels);
    config.doubleLayers = number("num_layers", config.doubleLayers, 1, kMostLayers);
    config.singleLayers = number("num_single_layers", config.singleLayers, 0, kMostLayers);
    config.headWidth = number("attention_head_dim", config.headWidth, 2, kMostChannels);
    config.heads = number("num_attention_heads", config.heads, 1, kMostChannels);
    const std::vector<int64_t> texts =
        integersInRange(reader, "caption_channels", config.t5Width, 2, 1, kMostChannels);
    config.t5Width = texts[0];
    config.languageWidth = texts[1];
    config.pooledWidth = number("text_emb_dim", config.pooledWidth, 1, kMostChannels);
    config.experts = number("num_routed_experts", config.experts, 0, kMostExperts);
    config.activeExperts = number("num_activated_experts", config.activeExperts, 1, kMostExperts);
    if (config.experts > 0 && config.activeExperts > config.experts) {
        refuseConfig(
            reader,
            message(
                "num_activated_experts is {} of {} experts", config.activeExperts, config.experts));
    }
    const std::vector<int64_t> most =
        integersInRange(reader, "max_resolution", 128, 2, 1, kMostHiDreamSide);
    config.mostTokens = most[0] * most[1] / (config.patch * config.patch);
    config.axes = headAxes(reader,
                           "axes_dims_rope",
                           config.axes,
                           config.headWidth,
                           message("the {} of attention_head_dim", config.headWidth));
    readLanguageLayers(reader, config);
    return config;
}

namespace kernels = tensor::kernels;

namespace {

/// Inner width of a feed-forward layer, as a multiple of the network's.
constexpr int64_t kFeedFactor = 4;
constexpr int64_t kMostExpertTokens = 2048;

std::vector<SwiGluFeed> expertsOf(NetworkBuilder& builder,
                                  const std::string& name,
                                  const HiDreamConfig& config) {
    std::vector<SwiGluFeed> experts;
    for (int64_t i = 0; i < config.experts; ++i) {
        experts.emplace_back(builder,
                             name + ".experts." + std::to_string(i),
                             config.width(),
                             hidreamInnerWidth(kFeedFactor * config.width()));
    }
    return experts;
}

/// Tokens that one expert has at a time: no more than come to each on average, so that one has as
/// many in every call, and what a call takes does not depend on the gate.
int64_t roundOf(int64_t tokens, int64_t active, int64_t experts) {
    return std::clamp<int64_t>(tokens * active / experts, 1, kMostExpertTokens);
}

/// How many of `tokens` a dry run gives to every expert, where `active` of `experts` get each:
/// whole rounds, as many as there are on average, and one at least.
int64_t dryRunTokens(int64_t tokens, int64_t active, int64_t experts) {
    const int64_t round = roundOf(tokens, active, experts);
    const int64_t average = tokens * active / experts;
    return std::max<int64_t>(1, (average + round / 2) / round) * round;
}

}  // namespace

int64_t hidreamInnerWidth(int64_t inner) {
    constexpr int64_t kMultiple = 256;
    return (2 * inner / 3 + kMultiple - 1) / kMultiple * kMultiple;
}

ExpertFeed::ExpertFeed(NetworkBuilder& builder,
                       const std::string& name,
                       const HiDreamConfig& config)
    : shared(builder,
             name + ".shared_experts",
             config.width(),
             hidreamInnerWidth(kFeedFactor * config.width() / 2)),
      experts(expertsOf(builder, name, config)),
      gate(builder.leaf(name + ".gate.",
                        {{.name = "weight", .shape = {config.experts, config.width()}}})),
      active(config.activeExperts) {}

ExpertFeed::Routes ExpertFeed::routesOf(Forward& forward, const at::Tensor& tokens) const {
    at::Tensor scores;
    {
        const residency::Lease lease = forward.use(gate);
        scores = kernels::linear(tokens.to(lease[0].scalar_type()), lease[0], {})
                     .to(at::kFloat)
                     .softmax(-1);
    }
    const auto [weights, chosen] = scores.topk(active, -1, /*largest=*/true, /*sorted=*/false);
    const at::Tensor flat = chosen.flatten();
    Routes routes{.order = flat.argsort(/*stable=*/true), .fractions = weights.reshape({-1, 1})};
    const auto count = static_cast<int64_t>(experts.size());
    if (tokens.is_meta()) {
        routes.counts.assign(experts.size(), dryRunTokens(tokens.size(0), active, count));
    } else {
        const at::Tensor numbers = at::arange(count, flat.options()).unsqueeze(1);
        routes.counts = tensor::integers((flat.unsqueeze(0) == numbers).sum(1));
    }
    return routes;
}

at::Tensor ExpertFeed::apply(Forward& forward, const at::Tensor& x) const {
    const at::Tensor tokens = x.flatten(0, 1);
    const Routes routes = routesOf(forward, tokens);
    at::Tensor sum = at::empty_like(tokens);
    forTokens(tokens.size(0), [&](int64_t first, int64_t count) {
        sum.narrow(0, first, count).copy_(shared.apply(forward, tokens.narrow(0, first, count)));
    });
    const int64_t round = roundOf(tokens.size(0), active, static_cast<int64_t>(experts.size()));
    int64_t begin = 0;
    for (size_t expert = 0; expert < experts.size(); ++expert) {
        const int64_t end = begin + routes.counts[expert];
        for (int64_t first = begin; first < end; first += round) {
            const int64_t count = std::min(round, end - first);
            const at::Tensor own = routes.order.narrow(0, tokens.is_meta() ? 0 : first, count);
            const at::Tensor rows = own.div(active, "floor");
            at::Tensor made = experts[expert].apply(forward, kernels::takenRows(tokens, rows));
            made.mul_(kernels::takenRows(routes.fractions, own));
            made.add_(kernels::takenRows(sum, rows));
            sum.index_copy_(0, rows, made);
        }
        begin = end;
    }
    return sum.view(x.sizes());
}

ImageFeed::ImageFeed(NetworkBuilder& builder,
                     const std::string& name,
                     const HiDreamConfig& config) {
    if (config.experts > 0) {
        experts.emplace(builder, name, config);
    } else {
        plain.emplace(
            builder, name, config.width(), hidreamInnerWidth(kFeedFactor * config.width()));
    }
}

namespace kernels = tensor::kernels;

namespace {

constexpr double kNormEpsilon = 1e-6;
constexpr double kHeadNormEpsilon = 1e-5;
/// Shift, scale and gate of the attention, then of the feed-forward layer.
constexpr int64_t kPartsOfTokens = 6;

/// The keys of tokens that fill an image up are 0.
HeadTokens projected(Forward& forward,
                     const HiDreamProjections& by,
                     const at::Tensor& x,
                     const at::Tensor& fill,
                     int64_t heads) {
    const auto inHeads = [&](const at::Tensor& made) { return made.unflatten(2, {heads, -1}); };
    HeadTokens made{.query = inHeads(by.queryNorm.apply(forward, by.query.apply(forward, x))),
                    .key = inHeads(by.keyNorm.apply(forward, by.key.apply(forward, x))),
                    .value = inHeads(by.value.apply(forward, x))};
    if (fill.defined()) {
        made.key.narrow(1, 0, fill.size(1)).mul_(fill.unsqueeze(3));
    }
    return made;
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
      image(builder, name + ".attn1", "", config),
      text(builder, name + ".attn1", "_t", config),
      imageFeed(builder, name + ".ff_i", config),
      textFeed(builder, name + ".ff_t", config.width(), hidreamInnerWidth(4 * config.width())),
      heads(config.heads) {}

void HiDreamDoubleBlock::apply(Forward& forward,
                               const at::Tensor& hidden,
                               const at::Tensor& texts,
                               const HiDreamContext& context) const {
    const std::vector<at::Tensor> by =
        modulationsOf(forward, modulation, context.time, 2 * kPartsOfTokens);
    const auto ofText = [&](int64_t part) {
        return by[static_cast<size_t>(kPartsOfTokens + part)];
    };
    at::Tensor found;
    {
        HeadTokens own = projected(
            forward, image, modulatedNorm(hidden, by[0], by[1], kNormEpsilon), context.fill, heads);
        HeadTokens others = projected(
            forward, text, modulatedNorm(texts, ofText(0), ofText(1), kNormEpsilon), {}, heads);
        found = attended(inARow(std::move(own), std::move(others)), context.rotation);
    }
    const int64_t count = hidden.size(1);
    addGated(hidden, image.out.apply(forward, found.narrow(1, 0, count)), by[2]);
    addGated(texts, text.out.apply(forward, found.narrow(1, count, texts.size(1))), ofText(2));
    found.reset();
    addGated(
        hidden, imageFeed.apply(forward, modulatedNorm(hidden, by[3], by[4], kNormEpsilon)), by[5]);
    addGated(texts,
             textFeed.apply(forward, modulatedNorm(texts, ofText(3), ofText(4), kNormEpsilon)),
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

void HiDreamSingleBlock::apply(Forward& forward,
                               const at::Tensor& hidden,
                               const HiDreamContext& context) const {
    const std::vector<at::Tensor> by =
        modulationsOf(forward, modulation, context.time, kPartsOfTokens);
    addGated(hidden,
             all.out.apply(forward,
                           attended(projected(forward,
                                              all,
                                              modulatedNorm(hidden, by[0], by[1], kNormEpsilon),
                                              context.fill,
                                              heads),
                                    context.rotation)),
             by[2]);
    addGated(hidden, feed.apply(forward, modulatedNorm(hidden, by[3], by[4], kNormEpsilon)), by[5]);
}

}  // namespace lowtide::models
