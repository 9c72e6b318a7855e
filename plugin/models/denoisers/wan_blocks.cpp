#include "plugin/models/denoisers/wan_blocks.hpp"

#include "plugin/models/blocks/pass.hpp"
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

/// hidden + gate * added in f32, as `hidden` is.
at::Tensor gatedSum(const at::Tensor& hidden, const at::Tensor& added, const at::Tensor& gate) {
    return (added.to(at::kFloat) * gate).add_(hidden).to(hidden.scalar_type());
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

at::Tensor WanAttention::applyToItself(Pass& pass,
                                       const at::Tensor& x,
                                       const Rotation& rotation) const {
    const auto placed = [&](const at::Tensor& each) {
        return rotated(each.unflatten(2, {heads, -1}), rotation).transpose(1, 2);
    };
    const at::Tensor q = placed(queryNorm.apply(pass, query.apply(pass, x)));
    const at::Tensor k = placed(keyNorm.apply(pass, key.apply(pass, x)));
    const at::Tensor v = inHeads(value.apply(pass, x));
    const at::Tensor found = kernels::attention(q, k, v, /*causal=*/false);
    return out.apply(pass, found.transpose(1, 2).reshape(x.sizes()));
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

at::Tensor modulatedNorm(const at::Tensor& hidden,
                         const at::Tensor& shift,
                         const at::Tensor& scale,
                         double epsilon) {
    return kernels::layerNorm(hidden.to(at::kFloat), {}, {}, epsilon)
        .mul_(scale + 1)
        .add_(shift)
        .to(hidden.scalar_type());
}

WanBlock::WanBlock(NetworkBuilder& builder, const std::string& name, const WanConfig& config)
    : table(builder.leaf(
          name + ".", {{.name = "scale_shift_table", .shape = {1, kModulations, config.width()}}})),
      self(builder, name + ".attn1", config, /*seesPictures=*/false),
      cross(builder, name + ".attn2", config, config.pictureWidth > 0),
      crossNorm(crossNormOf(builder, name, config)),
      inner(builder, name + ".ffn.net.0.proj", config.width(), config.innerWidth),
      outer(builder, name + ".ffn.net.2", config.innerWidth, config.width()),
      epsilon(config.epsilon) {}

at::Tensor WanBlock::apply(Pass& pass, at::Tensor hidden, const WanContext& context) const {
    std::vector<at::Tensor> by;
    {
        const residency::Lease lease = pass.use(table);
        by = (context.time + lease[0].to(at::kFloat)).chunk(kModulations, 1);
    }
    hidden = gatedSum(
        hidden,
        self.applyToItself(pass, modulatedNorm(hidden, by[0], by[1], epsilon), context.rotation),
        by[2]);
    const at::Tensor seen = crossNorm ? crossNorm->apply(pass, hidden) : hidden;
    hidden = hidden + cross.applyToContext(pass, seen, context);
    const at::Tensor fed =
        kernels::tanhGelu(inner.apply(pass, modulatedNorm(hidden, by[3], by[4], epsilon)));
    return gatedSum(hidden, outer.apply(pass, fed), by[5]);
}

}  // namespace lowtide::models
