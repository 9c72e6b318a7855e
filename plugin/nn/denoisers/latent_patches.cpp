#include "plugin/nn/denoisers/latent_patches.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/shape.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

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
