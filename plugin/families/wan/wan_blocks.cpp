#include "plugin/families/wan/wan_blocks.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/modulation.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

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
                      at::Tensor& hidden,
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

void WanBlock::apply(Pass& pass, at::Tensor& hidden, const WanContext& context) const {
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
