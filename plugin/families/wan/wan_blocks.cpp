#include "plugin/families/wan/wan_blocks.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/blocks/pass.hpp"
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

/// Keys and values of pictures are as wide as the network, or there are none.
void requireOwnWidth(const JsonReader& reader, const WanConfig& config) {
    const std::optional<int64_t> added = reader.integer("added_kv_proj_dim");
    const int64_t expected = config.pictureWidth > 0 ? config.width() : 0;
    if (added.value_or(0) != expected) {
        refuseConfig(reader,
                     message("added_kv_proj_dim is {}, only {} is built beside image_dim {}",
                             added.value_or(0),
                             expected,
                             config.pictureWidth));
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
    config.pictureWidth = optional("image_dim", kMostChannels);
    config.picturePositions = optional("pos_embed_seq_len", kMostChannels);
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

constexpr double kPictureEpsilon = 1e-5;
constexpr int64_t kTimeParts = 6;
const std::string kPrefix = "condition_embedder.";

std::optional<WanPictureProjection> pictureProjection(NetworkBuilder& builder,
                                                      const WanConfig& config) {
    if (config.pictureWidth == 0) {
        return std::nullopt;
    }
    return WanPictureProjection(builder, config);
}

}  // namespace

WanPictureProjection::WanPictureProjection(NetworkBuilder& builder, const WanConfig& config)
    : inputNorm(builder, kPrefix + "image_embedder.norm1", config.pictureWidth, kPictureEpsilon),
      inner(builder,
            kPrefix + "image_embedder.ff.net.0.proj",
            config.pictureWidth,
            config.pictureWidth),
      outer(builder, kPrefix + "image_embedder.ff.net.2", config.pictureWidth, config.width()),
      outputNorm(builder, kPrefix + "image_embedder.norm2", config.width(), kPictureEpsilon) {
    if (config.picturePositions > 0) {
        positions = builder.leaf(
            kPrefix + "image_embedder.",
            {{.name = "pos_embed", .shape = {1, config.picturePositions, config.pictureWidth}}});
    }
}

at::Tensor WanPictureProjection::apply(Pass& pass, const at::Tensor& states) const {
    at::Tensor seen = states;
    if (positions) {
        const residency::Lease lease = pass.use(*positions);
        seen = states.reshape({-1, 2 * states.size(1), states.size(2)}) +
               lease[0].to(states.scalar_type());
    }
    seen = inner.apply(pass, inputNorm.apply(pass, seen));
    return outputNorm.apply(pass, outer.apply(pass, kernels::gelu(seen)));
}

WanConditions::WanConditions(NetworkBuilder& builder, const WanConfig& config)
    : timeVector(builder, kPrefix + "time_embedder", config.timeWidth, config.width()),
      timeParts(builder, kPrefix + "time_proj", config.width(), kTimeParts * config.width()),
      textInner(builder, kPrefix + "text_embedder.linear_1", config.textWidth, config.width()),
      textOuter(builder, kPrefix + "text_embedder.linear_2", config.width(), config.width()),
      pictures(pictureProjection(builder, config)) {}

WanConditions::Time WanConditions::time(Pass& pass,
                                        const at::Tensor& steps,
                                        const at::Tensor& like) const {
    const at::Tensor whole = timeVector.apply(pass, steps).to(like.scalar_type());
    const at::Tensor parts = timeParts.apply(pass, kernels::silu(whole)).to(at::kFloat);
    return {.whole = whole, .parts = parts.unflatten(1, {kTimeParts, -1})};
}

at::Tensor WanConditions::text(Pass& pass, const at::Tensor& embeds) const {
    return textOuter.apply(pass, kernels::tanhGelu(textInner.apply(pass, embeds)));
}

namespace kernels = tensor::kernels;

namespace {

constexpr int64_t kModulations = 6;

std::optional<WanPictureKeys> pictureKeys(NetworkBuilder& builder,
                                          const std::string& prefix,
                                          const WanConfig& config,
                                          bool seesPictures) {
    if (!seesPictures) {
        return std::nullopt;
    }
    return WanPictureKeys(builder, prefix, config);
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
at::Tensor normed(Pass& pass, const LayerNorm& norm, const at::Tensor& hidden) {
    const residency::Lease lease = pass.use(norm.leaf);
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

WanPictureKeys::WanPictureKeys(NetworkBuilder& builder,
                               const std::string& prefix,
                               const WanConfig& config)
    : key(builder, prefix + ".add_k_proj", config.width(), config.width()),
      value(builder, prefix + ".add_v_proj", config.width(), config.width()),
      norm(builder, prefix + ".norm_added_k", config.width(), config.epsilon) {
    // Published files have it, and no pass runs it.
    const std::string unused = prefix + ".norm_added_q.";
    if (builder.has(unused + "weight")) {
        (void)builder.leaf(unused, {{.name = "weight", .shape = {config.width()}}});
    }
}

WanAttention::WanAttention(NetworkBuilder& builder,
                           const std::string& prefix,
                           const WanConfig& config,
                           bool seesPictures)
    : query(builder, prefix + ".to_q", config.width(), config.width()),
      key(builder, prefix + ".to_k", config.width(), config.width()),
      value(builder, prefix + ".to_v", config.width(), config.width()),
      out(builder, prefix + ".to_out.0", config.width(), config.width()),
      queryNorm(builder, prefix + ".norm_q", config.width(), config.epsilon),
      keyNorm(builder, prefix + ".norm_k", config.width(), config.epsilon),
      pictures(pictureKeys(builder, prefix, config, seesPictures)),
      heads(config.heads) {}

at::Tensor WanAttention::inHeads(const at::Tensor& x) const {
    return x.unflatten(2, {heads, -1}).transpose(1, 2);  // [N,T,D] -> [N,H,T,D/H]
}

/// Of tensors as large as `x` three are held beside the result at most: what is done with is let
/// go.
at::Tensor WanAttention::applyToItself(Pass& pass, at::Tensor x, const Rotation& rotation) const {
    const std::vector<int64_t> sizes = x.sizes().vec();
    const auto placed = [&](const Linear& projection, const RmsNorm& norm) {
        const at::Tensor each = norm.apply(pass, projection.apply(pass, x));
        return rotated(each.unflatten(2, {heads, -1}), rotation).transpose(1, 2);
    };
    at::Tensor found;
    {
        const at::Tensor q = placed(query, queryNorm);
        const at::Tensor k = placed(key, keyNorm);
        const at::Tensor v = inHeads(value.apply(pass, x));
        x.reset();
        found = kernels::attention(q, k, v, /*causal=*/false);
    }
    return out.apply(pass, found.transpose(1, 2).reshape(sizes));
}

at::Tensor WanAttention::applyToContext(Pass& pass,
                                        const at::Tensor& x,
                                        const WanContext& context) const {
    const at::Tensor q = inHeads(queryNorm.apply(pass, query.apply(pass, x)));
    const auto joined = [&](const at::Tensor& k, const at::Tensor& v) {
        return kernels::attention(q, inHeads(k), inHeads(v), /*causal=*/false)
            .transpose(1, 2)
            .reshape(x.sizes());
    };
    at::Tensor found =
        joined(keyNorm.apply(pass, key.apply(pass, context.text)), value.apply(pass, context.text));
    if (pictures && context.pictures.defined()) {
        found.add_(joined(pictures->norm.apply(pass, pictures->key.apply(pass, context.pictures)),
                          pictures->value.apply(pass, context.pictures)));
    }
    return out.apply(pass, found);
}

WanBlock::WanBlock(NetworkBuilder& builder, const std::string& name, const WanConfig& config)
    : table(builder.leaf(
          name + ".", {{.name = "scale_shift_table", .shape = {1, kModulations, config.width()}}})),
      self(builder, name + ".attn1", config, /*seesPictures=*/false),
      cross(builder, name + ".attn2", config, config.pictureWidth > 0),
      crossNorm(crossNormOf(builder, name, config)),
      feed(builder.leaf(name + ".ffn.net.",
                        {{.name = "0.proj.weight", .shape = {config.innerWidth, config.width()}},
                         {.name = "0.proj.bias", .shape = {config.innerWidth}},
                         {.name = "2.weight", .shape = {config.width(), config.innerWidth}},
                         {.name = "2.bias", .shape = {config.width()}}})),
      epsilon(config.epsilon) {}

void WanBlock::addFed(Pass& pass,
                      const at::Tensor& hidden,
                      const at::Tensor& shift,
                      const at::Tensor& scale,
                      const at::Tensor& gate) const {
    const residency::Lease lease = pass.use(feed);
    const at::Tensor factor = scale + 1;
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        const at::Tensor part = hidden.narrow(1, first, count);
        const at::Tensor inner =
            kernels::tanhGelu(kernels::linear(modulatedPart(part, shift, factor, epsilon)
                                                  .to(part.scalar_type())
                                                  .to(lease[0].scalar_type()),
                                              lease[0],
                                              lease[1]));
        const at::Tensor fed = kernels::linear(inner, lease[2], lease[3]);
        part.copy_((fed.to(at::kFloat) * gate).add_(part));
    });
}

void WanBlock::apply(Pass& pass, const at::Tensor& hidden, const WanContext& context) const {
    std::vector<at::Tensor> by;
    {
        const residency::Lease lease = pass.use(table);
        by = (context.time + lease[0].to(at::kFloat)).chunk(kModulations, 1);
    }
    addGated(
        hidden,
        self.applyToItself(pass, modulatedNorm(hidden, by[0], by[1], epsilon), context.rotation),
        by[2]);
    hidden.add_(
        cross.applyToContext(pass, crossNorm ? normed(pass, *crossNorm, hidden) : hidden, context));
    addFed(pass, hidden, by[3], by[4], by[5]);
}

}  // namespace lowtide::models
