#include "plugin/nn/denoisers/denoiser_parts.hpp"

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::models {

namespace {

constexpr double kLongestPeriod = 10000;
constexpr double kGuidanceUnit = 1000;

at::Tensor evenWidth(const at::Tensor& x, int64_t width) {
    return width % 2 == 0 ? x : at::constant_pad_nd(x, {0, 1});
}

std::optional<Linear> makeGuidance(NetworkBuilder& builder, const UNet2DConfig& config) {
    if (config.guidanceWidth == 0) {
        return std::nullopt;
    }
    return Linear(builder,
                  "time_embedding.cond_proj",
                  config.guidanceWidth,
                  config.levels.front().channels,
                  Bias::None);
}

std::optional<VectorEmbedding> makeAddition(NetworkBuilder& builder, const UNet2DConfig& config) {
    if (config.addedWidth == 0) {
        return std::nullopt;
    }
    return VectorEmbedding(builder, "add_embedding", config.addedWidth, config.timeWidth);
}

}  // namespace

at::Tensor sinusoids(const at::Tensor& values,
                     int64_t width,
                     bool cosineFirst,
                     double frequencyShift) {
    const int64_t half = width / 2;
    const at::Tensor exponents = at::arange(half, at::kFloat) * -std::log(kLongestPeriod) /
                                 (static_cast<double>(half) - frequencyShift);
    const at::Tensor angles = values.unsqueeze(1) * exponents.exp().unsqueeze(0);  // [N, half]
    const at::Tensor both = cosineFirst ? at::cat({angles.cos(), angles.sin()}, 1)
                                        : at::cat({angles.sin(), angles.cos()}, 1);
    return evenWidth(both, width);
}

at::Tensor timeSinusoids(const at::Tensor& timestep, int64_t count, const UNet2DConfig& config) {
    return sinusoids(timestep.to(at::kFloat).reshape({1}).expand({count}),
                     config.levels.front().channels,
                     config.cosineFirst,
                     config.frequencyShift);
}

at::Tensor guidanceSinusoids(const at::Tensor& guidance, int64_t width) {
    const int64_t half = width / 2;
    // In f32 like the reference: the phases are large, so rounding shows.
    const float step = std::log(static_cast<float>(kLongestPeriod)) / static_cast<float>(half - 1);
    const at::Tensor frequencies = (at::arange(half, at::kFloat) * -step).exp();
    const at::Tensor angles = (guidance * kGuidanceUnit).unsqueeze(1) * frequencies.unsqueeze(0);
    return evenWidth(at::cat({angles.sin(), angles.cos()}, 1), width);
}

TimeEmbedding::TimeEmbedding(NetworkBuilder& builder, const UNet2DConfig& config)
    : guidance(makeGuidance(builder, config)),
      vector(builder, "time_embedding", config.levels.front().channels, config.timeWidth),
      addition(makeAddition(builder, config)) {}

at::Tensor TimeEmbedding::apply(Forward& forward,
                                const at::Tensor& steps,
                                const at::Tensor& guidanceSteps,
                                const at::Tensor& added) const {
    const at::Tensor input = guidance ? steps + guidance->apply(forward, guidanceSteps) : steps;
    const at::Tensor embedding = vector.apply(forward, input);
    return tensor::kernels::silu(addition ? embedding + addition->apply(forward, added)
                                          : embedding);
}

VectorEmbedding::VectorEmbedding(NetworkBuilder& builder,
                                 const std::string& name,
                                 int64_t in,
                                 int64_t width)
    : inner(builder, name + ".linear_1", in, width),
      outer(builder, name + ".linear_2", width, width) {}

at::Tensor VectorEmbedding::apply(Forward& forward, const at::Tensor& x) const {
    return outer.apply(forward, tensor::kernels::silu(inner.apply(forward, x)));
}

}  // namespace lowtide::models
