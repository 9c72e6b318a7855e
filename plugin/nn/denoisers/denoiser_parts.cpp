#include "plugin/nn/denoisers/denoiser_parts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/nn/blocks/pass.hpp"
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

std::optional<AddedEmbedding> makeAddition(NetworkBuilder& builder, const UNet2DConfig& config) {
    return config.addedWidth == 0 ? std::nullopt : std::optional(AddedEmbedding(builder, config));
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

AddedEmbedding::AddedEmbedding(NetworkBuilder& builder, const UNet2DConfig& config)
    : inner(builder, "add_embedding.linear_1", config.addedWidth, config.timeWidth),
      outer(builder, "add_embedding.linear_2", config.timeWidth, config.timeWidth) {}

at::Tensor AddedEmbedding::apply(Pass& pass, const at::Tensor& added) const {
    return outer.apply(pass, tensor::kernels::silu(inner.apply(pass, added)));
}

TimeEmbedding::TimeEmbedding(NetworkBuilder& builder, const UNet2DConfig& config)
    : guidance(makeGuidance(builder, config)),
      inner(builder, "time_embedding.linear_1", config.levels.front().channels, config.timeWidth),
      outer(builder, "time_embedding.linear_2", config.timeWidth, config.timeWidth),
      addition(makeAddition(builder, config)) {}

at::Tensor TimeEmbedding::apply(Pass& pass,
                                const at::Tensor& steps,
                                const at::Tensor& guidanceSteps,
                                const at::Tensor& added) const {
    namespace kernels = tensor::kernels;
    const at::Tensor input = guidance ? steps + guidance->apply(pass, guidanceSteps) : steps;
    const at::Tensor embedding = outer.apply(pass, kernels::silu(inner.apply(pass, input)));
    return kernels::silu(addition ? embedding + addition->apply(pass, added) : embedding);
}

VectorEmbedding::VectorEmbedding(NetworkBuilder& builder,
                                 const std::string& name,
                                 int64_t in,
                                 int64_t width)
    : inner(builder, name + ".linear_1", in, width),
      outer(builder, name + ".linear_2", width, width) {}

at::Tensor VectorEmbedding::apply(Pass& pass, const at::Tensor& x) const {
    return outer.apply(pass, tensor::kernels::silu(inner.apply(pass, x)));
}

at::Tensor modulatedPart(const at::Tensor& part,
                         const at::Tensor& shift,
                         const at::Tensor& factor,
                         double epsilon) {
    return tensor::kernels::layerNorm(part.to(at::kFloat), {}, {}, epsilon)
        .mul_(factor)
        .add_(shift);
}

at::Tensor modulatedNorm(const at::Tensor& hidden,
                         const at::Tensor& shift,
                         const at::Tensor& scale,
                         double epsilon) {
    const at::Tensor factor = scale + 1;
    at::Tensor result = at::empty_like(hidden);
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        result.narrow(1, first, count)
            .copy_(modulatedPart(hidden.narrow(1, first, count), shift, factor, epsilon));
    });
    return result;
}

std::vector<at::Tensor> modulationsOf(Pass& pass,
                                      const Linear& modulation,
                                      const at::Tensor& time,
                                      int64_t count) {
    return modulation.apply(pass, time).to(at::kFloat).unsqueeze(1).chunk(count, -1);
}

void addGated(const at::Tensor& hidden, const at::Tensor& added, const at::Tensor& gate) {
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        const at::Tensor part = hidden.narrow(1, first, count);
        part.copy_((added.narrow(1, first, count).to(at::kFloat) * gate).add_(part));
    });
}

namespace kernels = tensor::kernels;

SwiGluFeed::SwiGluFeed(NetworkBuilder& builder,
                       const std::string& name,
                       int64_t width,
                       int64_t inner)
    : leaf(builder.leaf(name + ".",
                        {{.name = "w1.weight", .shape = {inner, width}},
                         {.name = "w2.weight", .shape = {width, inner}},
                         {.name = "w3.weight", .shape = {inner, width}}})) {}

at::Tensor SwiGluFeed::apply(Pass& pass, const at::Tensor& x) const {
    const residency::Lease lease = pass.use(leaf);
    const at::Tensor input = x.to(lease[0].scalar_type());
    at::Tensor inner = kernels::silu(kernels::linear(input, lease[0], {}));
    inner.mul_(kernels::linear(input, lease[2], {}));
    return kernels::linear(inner, lease[1], {}).to(x.scalar_type());
}

void requireWholePatches(const at::Tensor& latents, int64_t patch) {
    requireThat(latents.size(2) % patch == 0 && latents.size(3) % patch == 0,
                "a part of the latent is " + toText(latents.sizes().slice(2)) +
                    ", and the denoiser takes patches of " + std::to_string(patch) + " x " +
                    std::to_string(patch),
                "choose areas of prompts that are multiples of 16 pixels",
                "latent");
}

at::Tensor patchNumbers(const at::Tensor& latents, int64_t patch) {
    return latents.unflatten(3, {-1, patch})
        .unflatten(2, {-1, patch})
        .permute({0, 2, 4, 3, 5, 1})  // [N,h,w,p,q,C]
        .flatten(3)
        .flatten(1, 2);
}

at::Tensor fromPatchNumbers(const at::Tensor& tokens,
                            int64_t patch,
                            int64_t height,
                            int64_t width) {
    const int64_t rows = height / patch;
    const int64_t columns = width / patch;
    return tokens.narrow(1, 0, rows * columns)
        .unflatten(2, {patch, patch, -1})
        .unflatten(1, {rows, columns})
        .permute({0, 5, 1, 3, 2, 4})  // [N,C,h,p,w,q]
        .to(at::kFloat)
        .contiguous()
        .view({tokens.size(0), tokens.size(2) / (patch * patch), height, width});
}

}  // namespace lowtide::models
