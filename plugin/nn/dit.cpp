#include "plugin/nn/dit.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/denoiser_parts.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

namespace lowtide::models {

namespace kernels = tensor::kernels;

at::Tensor sinusoids(Forward& forward, const at::Tensor& values, int64_t width) {
    return tensor::upload(sinusoids(values, width, /*cosineFirst=*/true, /*frequencyShift=*/0),
                          forward.device());
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

std::vector<at::Tensor> modulationsOf(Forward& forward,
                                      const Linear& modulation,
                                      const at::Tensor& time,
                                      int64_t count) {
    return modulation.apply(forward, time).to(at::kFloat).unsqueeze(1).chunk(count, -1);
}

void addGated(const at::Tensor& hidden, const at::Tensor& added, const at::Tensor& gate) {
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        const at::Tensor part = hidden.narrow(1, first, count);
        part.copy_((added.narrow(1, first, count).to(at::kFloat) * gate).add_(part));
    });
}

SwiGluFeed::SwiGluFeed(NetworkBuilder& builder,
                       const std::string& name,
                       int64_t width,
                       int64_t inner)
    : leaf(builder.leaf(name + ".",
                        {matrixSpec("w1.weight", width, inner),
                         matrixSpec("w2.weight", inner, width),
                         matrixSpec("w3.weight", width, inner)})) {}

at::Tensor SwiGluFeed::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    const at::Tensor input = x.to(forward.productType(leaf));
    at::Tensor inner = kernels::silu(kernels::linear(input, lease[0], {}));
    inner.mul_(kernels::linear(input, lease[2], {}));
    return kernels::linear(inner, lease[1], {}).to(x.scalar_type());
}

void requireWholePatches(const at::Tensor& latents, int64_t patch) {
    requireThat(latents.size(2) % patch == 0 && latents.size(3) % patch == 0,
                message("a part of the latent is {}, and the denoiser takes patches of {} x {}",
                        toText(latents.sizes().slice(2)),
                        patch,
                        patch),
                message("choose areas of prompts that are multiples of 16 pixels"),
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

at::Tensor inARow(at::Tensor& first, at::Tensor& second) {
    at::Tensor row = at::cat({first, second}, 1);
    first.reset();
    second.reset();
    return row;
}

HeadTokens inARow(HeadTokens first, HeadTokens second) {
    return {.query = inARow(first.query, second.query),
            .key = inARow(first.key, second.key),
            .value = inARow(first.value, second.value)};
}

at::Tensor attended(HeadTokens all, const Rotation& rotation) {
    const at::Tensor q = rotated(all.query, rotation).transpose(1, 2);
    all.query.reset();
    const at::Tensor k = rotated(all.key, rotation).transpose(1, 2);
    all.key.reset();
    return kernels::attention(q, k, all.value.transpose(1, 2), /*causal=*/false)
        .transpose(1, 2)
        .flatten(2);
}

}  // namespace lowtide::models
