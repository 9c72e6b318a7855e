#include "plugin/families/wan/wan_conditions.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

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
    : timeInner(builder, kPrefix + "time_embedder.linear_1", config.timeWidth, config.width()),
      timeOuter(builder, kPrefix + "time_embedder.linear_2", config.width(), config.width()),
      timeParts(builder, kPrefix + "time_proj", config.width(), kTimeParts * config.width()),
      textInner(builder, kPrefix + "text_embedder.linear_1", config.textWidth, config.width()),
      textOuter(builder, kPrefix + "text_embedder.linear_2", config.width(), config.width()),
      pictures(pictureProjection(builder, config)) {}

WanConditions::Time WanConditions::time(Pass& pass,
                                        const at::Tensor& steps,
                                        const at::Tensor& like) const {
    const at::Tensor whole =
        timeOuter.apply(pass, kernels::silu(timeInner.apply(pass, steps))).to(like.scalar_type());
    const at::Tensor parts = timeParts.apply(pass, kernels::silu(whole)).to(at::kFloat);
    return {.whole = whole, .parts = parts.unflatten(1, {kTimeParts, -1})};
}

at::Tensor WanConditions::text(Pass& pass, const at::Tensor& embeds) const {
    return textOuter.apply(pass, kernels::tanhGelu(textInner.apply(pass, embeds)));
}

}  // namespace lowtide::models
