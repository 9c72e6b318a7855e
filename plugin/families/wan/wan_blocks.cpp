#include "plugin/families/wan/wan_blocks.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/dit.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr int64_t kMostWanPatch = 16;
constexpr int64_t kMostWanPositions = 1 << 20;

std::span<const FixedSetting> fixedWanSettings() {
    static const std::vector<FixedSetting> settings = {{"qk_norm", "rms_norm_across_heads"},
                                                       {"window_size", -1}};
    return settings;
}

/// Keys and values of images are as wide as the network, or there are none.
void requireOwnWidth(const JsonReader& reader, const WanConfig& config) {
    const std::optional<int64_t> added = reader.integer("added_kv_proj_dim");
    const int64_t expected = config.imageWidth > 0 ? config.width() : 0;
    if (added.value_or(0) != expected) {
        refuseConfig(reader,
                     message("added_kv_proj_dim is {}, only {} is built with image_dim {}",
                             added.value_or(0),
                             expected,
                             config.imageWidth));
    }
}

/// The autoencoder's videos have any number of frames, and rotations go by pairs.
void requireBuiltSizes(const JsonReader& reader, const WanConfig& config) {
    if (config.patch[0] != 1) {
        refuseConfig(reader, message("patch_size has {} frames, only 1 is built", config.patch[0]));
    }
    if (config.headWidth % 2 != 0) {
        refuseConfig(
            reader,
            message("attention_head_dim is {}, only even ones are built", config.headWidth));
    }
}

}  // namespace

WanConfig readWanConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "WanTransformer3DModel");
    refuseOtherSettings(json, what, fixedWanSettings());
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    const auto optional = [&](const char* key, int64_t most) {
        return integerInRange(reader, key, 0, 0, most);
    };
    WanConfig config;
    config.heads = number("num_attention_heads", config.heads, kMostChannels);
    config.headWidth = number("attention_head_dim", config.headWidth, kMostChannels);
    config.inChannels = number("in_channels", config.inChannels, kMostChannels);
    config.outChannels = number("out_channels", config.outChannels, kMostChannels);
    config.textWidth = number("text_dim", config.textWidth, kMostChannels);
    config.timeWidth = number("freq_dim", config.timeWidth, kMostChannels);
    config.innerWidth = number("ffn_dim", config.innerWidth, kMostChannels);
    config.layers = number("num_layers", config.layers, kMostLayers);
    config.hasCrossNorm = reader.boolean("cross_attn_norm").value_or(config.hasCrossNorm);
    config.epsilon = reader.number("eps").value_or(config.epsilon);
    config.imageWidth = optional("image_dim", kMostChannels);
    config.imagePositions = optional("pos_embed_seq_len", kMostChannels);
    config.mostPatches = number("rope_max_seq_len", config.mostPatches, kMostWanPositions);
    if (reader.has("patch_size")) {
        const std::vector<int64_t> patch =
            integersInRange(reader, "patch_size", 1, config.patch.size(), 1, kMostWanPatch);
        std::copy(patch.begin(), patch.end(), config.patch.begin());
    }
    requireBuiltSizes(reader, config);
    requireOwnWidth(reader, config);
    return config;
}

namespace kernels = tensor::kernels;

namespace {

constexpr double kImageEpsilon = 1e-5;
constexpr int64_t kTimeParts = 6;
const std::string kPrefix = "condition_embedder.";

std::optional<WanImageProjection> imageProjection(NetworkBuilder& builder,
                                                  const WanConfig& config) {
    if (config.imageWidth == 0) {
        return std::nullopt;
    }
    return WanImageProjection(builder, config);
}

}  // namespace

WanImageProjection::WanImageProjection(NetworkBuilder& builder, const WanConfig& config)
    : inputNorm(builder, kPrefix + "image_embedder.norm1", config.imageWidth, kImageEpsilon),
      inner(
          builder, kPrefix + "image_embedder.ff.net.0.proj", config.imageWidth, config.imageWidth),
      outer(builder, kPrefix + "image_embedder.ff.net.2", config.imageWidth, config.width()),
      outputNorm(builder, kPrefix + "image_embedder.norm2", config.width(), kImageEpsilon) {
    if (config.imagePositions > 0) {
        positions = builder.leaf(
            kPrefix + "image_embedder.",
            {{.name = "pos_embed", .shape = {1, config.imagePositions, config.imageWidth}}});
    }
}

at::Tensor WanImageProjection::apply(Forward& forward, const at::Tensor& states) const {
    at::Tensor visionEmbeds = states;
    if (positions) {
        const residency::Lease lease = forward.use(*positions);
        visionEmbeds = states.reshape({-1, 2 * states.size(1), states.size(2)}) +
                       lease[0].to(states.scalar_type());
    }
    visionEmbeds = inner.apply(forward, inputNorm.apply(forward, visionEmbeds));
    return outputNorm.apply(forward, outer.apply(forward, kernels::gelu(visionEmbeds)));
}

WanConditions::WanConditions(NetworkBuilder& builder, const WanConfig& config)
    : timeVector(builder, kPrefix + "time_embedder", config.timeWidth, config.width()),
      timeParts(builder, kPrefix + "time_proj", config.width(), kTimeParts * config.width()),
      textInner(builder, kPrefix + "text_embedder.linear_1", config.textWidth, config.width()),
      textOuter(builder, kPrefix + "text_embedder.linear_2", config.width(), config.width()),
      images(imageProjection(builder, config)) {}

WanConditions::Time WanConditions::time(Forward& forward,
                                        const at::Tensor& steps,
                                        const at::Tensor& like) const {
    const at::Tensor whole = timeVector.apply(forward, steps).to(like.scalar_type());
    const at::Tensor parts = timeParts.apply(forward, kernels::silu(whole)).to(at::kFloat);
    return {.whole = whole, .parts = parts.unflatten(1, {kTimeParts, -1})};
}

at::Tensor WanConditions::text(Forward& forward, const at::Tensor& embeds) const {
    return textOuter.apply(forward, kernels::tanhGelu(textInner.apply(forward, embeds)));
}

namespace kernels = tensor::kernels;

namespace {

constexpr int64_t kModulations = 6;

std::optional<WanImageKeys> imageKeys(NetworkBuilder& builder,
                                      const std::string& prefix,
                                      const WanConfig& config,
                                      bool seesImages) {
    if (!seesImages) {
        return std::nullopt;
    }
    return WanImageKeys(builder, prefix, config);
}

std::optional<LayerNorm> crossNormOf(NetworkBuilder& builder,
                                     const std::string& name,
                                     const WanConfig& config) {
    if (!config.hasCrossNorm) {
        return std::nullopt;
    }
    return LayerNorm(builder, name + ".norm2", config.width(), config.epsilon);
}

/// LayerNorm::apply() of some tokens at a time.
at::Tensor normed(Forward& forward, const LayerNorm& norm, const at::Tensor& hidden) {
    const residency::Lease lease = forward.use(norm.leaf);
    at::Tensor result = at::empty_like(hidden);
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        result.narrow(1, first, count)
            .copy_(kernels::layerNorm(hidden.narrow(1, first, count).to(lease[0].scalar_type()),
                                      lease[0],
                                      lease[1],
                                      norm.epsilon));
    });
    return result;
}

}  // namespace

WanImageKeys::WanImageKeys(NetworkBuilder& builder,
                           const std::string& prefix,
                           const WanConfig& config)
    : key(builder, prefix + ".add_k_proj", config.width(), config.width()),
      value(builder, prefix + ".add_v_proj", config.width(), config.width()),
      norm(builder, prefix + ".norm_added_k", config.width(), config.epsilon) {
    // Published files have it, and no forward runs it.
    const std::string unused = prefix + ".norm_added_q.";
    if (builder.has(unused + "weight")) {
        (void)builder.leaf(unused, {{.name = "weight", .shape = {config.width()}}});
    }
}

WanAttention::WanAttention(NetworkBuilder& builder,
                           const std::string& prefix,
                           const WanConfig& config,
                           bool seesImages)
    : query(builder, prefix + ".to_q", config.width(), config.width()),
      key(builder, prefix + ".to_k", config.width(), config.width()),
      value(builder, prefix + ".to_v", config.width(), config.width()),
      out(builder, prefix + ".to_out.0", config.width(), config.width()),
      queryNorm(builder, prefix + ".norm_q", config.width(), config.epsilon),
      keyNorm(builder, prefix + ".norm_k", config.width(), config.epsilon),
      images(imageKeys(builder, prefix, config, seesImages)),
      heads(config.heads) {}

at::Tensor WanAttention::inHeads(const at::Tensor& x) const {
    return x.unflatten(2, {heads, -1}).transpose(1, 2);  // [N,T,D] -> [N,H,T,D/H]
}

/// Of tensors as large as `x` at most three are held in addition to the result: each is released
/// after its last use.
at::Tensor WanAttention::applyToItself(Forward& forward,
                                       at::Tensor x,
                                       const Rotation& rotation) const {
    const std::vector<int64_t> sizes = x.sizes().vec();
    const auto positioned = [&](const Linear& projection, const RmsNorm& norm) {
        const at::Tensor each = norm.apply(forward, projection.apply(forward, x));
        return rotated(each.unflatten(2, {heads, -1}), rotation).transpose(1, 2);
    };
    at::Tensor found;
    {
        const at::Tensor q = positioned(query, queryNorm);
        const at::Tensor k = positioned(key, keyNorm);
        const at::Tensor v = inHeads(value.apply(forward, x));
        x.reset();
        found = kernels::attention(q, k, v, /*causal=*/false);
    }
    return out.apply(forward, found.transpose(1, 2).reshape(sizes));
}

at::Tensor WanAttention::applyToContext(Forward& forward,
                                        const at::Tensor& x,
                                        const WanContext& context) const {
    const at::Tensor q = inHeads(queryNorm.apply(forward, query.apply(forward, x)));
    const auto joined = [&](const at::Tensor& k, const at::Tensor& v) {
        return kernels::attention(q, inHeads(k), inHeads(v), /*causal=*/false)
            .transpose(1, 2)
            .reshape(x.sizes());
    };
    at::Tensor found = joined(keyNorm.apply(forward, key.apply(forward, context.text)),
                              value.apply(forward, context.text));
    if (images && context.images.defined()) {
        found.add_(joined(images->norm.apply(forward, images->key.apply(forward, context.images)),
                          images->value.apply(forward, context.images)));
    }
    return out.apply(forward, found);
}

WanBlock::WanBlock(NetworkBuilder& builder, const std::string& name, const WanConfig& config)
    : table(builder.leaf(
          name + ".", {{.name = "scale_shift_table", .shape = {1, kModulations, config.width()}}})),
      self(builder, name + ".attn1", config, /*seesImages=*/false),
      cross(builder, name + ".attn2", config, config.imageWidth > 0),
      crossNorm(crossNormOf(builder, name, config)),
      feed(builder.leaf(name + ".ffn.net.",
                        {matrixSpec("0.proj.weight", config.width(), config.innerWidth),
                         {.name = "0.proj.bias", .shape = {config.innerWidth}},
                         matrixSpec("2.weight", config.innerWidth, config.width()),
                         {.name = "2.bias", .shape = {config.width()}}})),
      epsilon(config.epsilon) {}

void WanBlock::addFed(Forward& forward,
                      const at::Tensor& hidden,
                      const at::Tensor& shift,
                      const at::Tensor& scale,
                      const at::Tensor& gate) const {
    const residency::Lease lease = forward.use(feed);
    const at::Tensor factor = scale + 1;
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        const at::Tensor part = hidden.narrow(1, first, count);
        const at::Tensor inner =
            kernels::tanhGelu(kernels::linear(modulatedPart(part, shift, factor, epsilon)
                                                  .to(part.scalar_type())
                                                  .to(forward.productType(feed)),
                                              lease[0],
                                              lease[1]));
        const at::Tensor fed = kernels::linear(inner, lease[2], lease[3]);
        part.copy_((fed.to(at::kFloat) * gate).add_(part));
    });
}

void WanBlock::apply(Forward& forward, const at::Tensor& hidden, const WanContext& context) const {
    std::vector<at::Tensor> by;
    {
        const residency::Lease lease = forward.use(table);
        by = (context.time + lease[0].to(at::kFloat)).chunk(kModulations, 1);
    }
    addGated(
        hidden,
        self.applyToItself(forward, modulatedNorm(hidden, by[0], by[1], epsilon), context.rotation),
        by[2]);
    hidden.add_(cross.applyToContext(
        forward, crossNorm ? normed(forward, *crossNorm, hidden) : hidden, context));
    addFed(forward, hidden, by[3], by[4], by[5]);
}

}  // namespace lowtide::models
