#include "nodes/denoise/inpaint_inputs.hpp"

#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::nodes {

namespace {

constexpr double kFilled = 0.5;  ///< from here on, for a network that fills masks

std::string sizeText(int64_t height, int64_t width) {
    return std::to_string(width) + " x " + std::to_string(height);
}

/// One for all images, or one for each.
bool fitsBatch(int64_t count, int64_t batch) {
    return count == 1 || count == batch;
}

void checkInpaintMask(const models::Model& model,
                      const DenoiseAsked& asked,
                      const InpaintShapes& shapes) {
    requireImages(model, message("a mask"));
    const Shape& mask = shapes.mask;
    const models::ImageSize size = model.info().latent.sizeOf(shapes.latent);
    requireThat(mask.size() == 4 && mask[2] == size.height && mask[3] == size.width,
                message("the mask is {} pixels, the image {}",
                        mask.size() == 4 ? sizeText(mask[2], mask[3]) : toText(mask),
                        sizeText(size.height, size.width)),
                message("connect a mask of the image's size"),
                "mask");
    requireThat(fitsBatch(mask[0], shapes.latent[0]),
                message("there are {} masks for {} images", mask[0], shapes.latent[0]),
                message("connect one mask, or one for each image"),
                "mask");
    requireThat(asked.startAt == 0,
                message("a mask cannot go on at start_at {}, where no noise is added",
                        formatNumber(asked.startAt)),
                message("set start_at to 0, or leave the mask unconnected"),
                "start_at");
    requireThat(asked.addNoise,
                message("a mask cannot go on with the noise of an earlier pass"),
                message("turn on add_noise, or leave the mask unconnected"),
                "add_noise");
}

void checkFilled(const InpaintShapes& shapes) {
    const Shape& masked = shapes.masked;
    const bool fits = masked.size() == 4 && fitsBatch(masked[0], shapes.latent[0]) &&
                      std::equal(masked.begin() + 1, masked.end(), shapes.latent.begin() + 1);
    requireThat(
        fits,
        message("the masked image is {}, the latent {}", toText(masked), toText(shapes.latent)),
        message("encode the image that the latent is made of, with the mask connected"),
        "masked");
}

/// [B, 1, H, W] -> [B, 1, h, w]: the most of each block of `factor` x `factor` pixels.
at::Tensor latentMask(const at::Tensor& mask, int64_t factor) {
    const Shape sizes = mask.sizes().vec();
    return mask.reshape({sizes[0], sizes[1], sizes[2] / factor, factor, sizes[3] / factor, factor})
        .amax({3, 5});
}

/// Between pixels, as ComfyUI reads a mask.
at::Tensor interpolatedMask(const at::Tensor& mask, const at::Tensor& latents) {
    return at::upsample_bilinear2d(mask, {latents.size(-2), latents.size(-1)}, false);
}

/// Where a mask masks nothing once it is made of 0 and 1.
void warnOfFaintMask(const at::Tensor& soft, const at::Tensor& mask, const StageCall& call) {
    if (mask.is_meta() || tensor::scalar(mask.amax()) > 0) {
        return;
    }
    if (const double most = tensor::scalar(soft.amax()); most > 0) {
        call.issue(
            {.severity = Severity::Warning,
             .code = "mask_faint",
             .node = call.node,
             .item = "mask",
             .message = message("nothing is regenerated: the mask is {} at most, and this denoiser "
                                "takes it from 0.5 on",
                                formatNumber(most)),
             .hint = message("connect a mask with white parts, or lower its threshold to 0")});
    }
}

}  // namespace

void checkInpainting(const models::Model& model,
                     const DenoiseAsked& asked,
                     const InpaintShapes& shapes) {
    const std::string& name = model.info().checkpoint;
    const bool fillsMasks = model.info().fillsMasks;
    requireThat(
        asked.strength == 1 || !shapes.isEmpty || asked.noise == sampling::NoiseWay::ComfyUi,
        message("a strength of {} keeps some of an image, but the latent is empty",
                formatNumber(asked.strength)),
        message("connect an encoded image, or set the strength to 1"),
        "strength");
    requireThat(
        asked.startAt == 0 || !shapes.isEmpty,
        message("start_at {} goes on with the noise of an earlier pass, but the latent is empty",
                formatNumber(asked.startAt)),
        message("connect the latent of a pass that ended there, or set start_at to 0"),
        "start_at");
    requireThat(!fillsMasks || !shapes.mask.empty(),
                message("the denoiser of {} fills masks, and none is connected", name),
                message("connect a mask, or choose another checkpoint"),
                "mask");
    requireThat(!fillsMasks || !shapes.masked.empty(),
                message("the denoiser of {} fills masks and wants to see the masked image", name),
                message("connect an encoded image that had the mask connected"),
                "masked");
    requireThat(fillsMasks || shapes.masked.empty(),
                message("the denoiser of {} takes no masked image", name),
                message("leave it unconnected, the mask alone is enough"),
                "masked");
    if (shapes.mask.empty()) {
        return;
    }
    checkInpaintMask(model, asked, shapes);
    requireThat(fillsMasks || !shapes.isEmpty,
                message("there is no image around the mask: the latent is empty"),
                message("connect the encoded image"),
                "latent");
    if (fillsMasks) {
        checkFilled(shapes);
    }
}

sampling::Inpainting inpaintingFor(const models::Model& model,
                                   const DenoiseAsked& asked,
                                   const at::Tensor& latents,
                                   const StageCall& call) {
    if (!asked.mask) {
        return {};
    }
    const c10::Device device = latents.device();
    sampling::Inpainting inpainting;
    const at::Tensor values = tensor::upload(masksIn(asked.mask).values(), device);
    inpainting.mask = asked.noise == sampling::NoiseWay::ComfyUi
                          ? interpolatedMask(values, latents)
                          : latentMask(values, model.info().latent.factor);
    if (model.info().fillsMasks) {
        const at::Tensor soft = inpainting.mask;
        inpainting.mask = (soft >= kFilled).to(at::kFloat);
        warnOfFaintMask(soft, inpainting.mask, call);
    }
    if (asked.masked) {
        const tensor::Latents& masked = latentsIn(asked.masked, "masked");
        inpainting.masked = {.mean = tensor::upload(masked.samples(), device),
                             .deviation = tensor::upload(masked.deviation(), device)};
    }
    return inpainting;
}

}  // namespace lowtide::nodes
