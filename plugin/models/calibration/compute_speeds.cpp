#include "plugin/models/calibration/compute_speeds.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/models/calibration/timed_passes.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/walk/shape_walk.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr int64_t kLatentChannels = 4;
constexpr int64_t kTokens = 77;
constexpr int64_t kContextWidth = 768;

/// A UNet of the first Stable Diffusion, two of its levels, and the picture it runs on.
struct Exercise {
    int64_t channels;
    int64_t side;  ///< of the latents
    int repeats;
};

constexpr Exercise kSmall = {.channels = 32, .side = 8, .repeats = 20};
constexpr Exercise kLarge = {.channels = 320, .side = 24, .repeats = 4};

UNet2DConfig configOf(const Exercise& exercise) {
    const UNetLevel plain{.channels = exercise.channels,
                          .layers = 1,
                          .downTransformers = {1},
                          .upTransformers = {1, 1},
                          .contextWidth = kContextWidth};
    UNetLevel attentive = plain;
    attentive.down = UNetBlock::CrossAttention;
    attentive.up = UNetBlock::CrossAttention;
    UNet2DConfig config;
    config.timeWidth = 4 * exercise.channels;
    config.levels = {attentive, plain};
    return config;
}

/// One pass, as the plan counts it and as it was measured.
struct Timed {
    double leaves = 0;
    double flops = 0;
    Seconds seconds = 0;
};

memory::ComponentWork walked(const UNet2DCondition& unet,
                             const Exercise& exercise,
                             const std::string& deviceKind) {
    ShapeWalk walk({.device = {.spec = {.kind = deviceKind}}}, {unet.tree()}, adapterMath());
    Pass pass(walk, *unet.tree(), tensor::Record(nullptr));
    const at::Tensor ignored =
        unet.predict(pass,
                     ShapeWalk::onWire({1, kLatentChannels, exercise.side, exercise.side}),
                     at::scalar_tensor(1, at::kFloat),
                     {.context = ShapeWalk::onWire({1, kTokens, kContextWidth})});
    memory::StageWork work = walk.work();
    LOWTIDE_ASSERT(work.components.size() == 1);
    return std::move(work.components.front());
}

Timed timed(residency::Residency& residency,
            const memory::DeviceSpec& device,
            const ScratchWeights& scratch,
            const Exercise& exercise) {
    const WeightMap weights{
        .what = "calibration", .files = {scratch.file()}, .tensors = {}, .everything = DType::F32};
    const UNet2DCondition unet(configOf(exercise), weights, kDenoiser);
    const memory::ComponentWork work = walked(unet, exercise, device.kind);
    const at::Tensor latents = at::zeros({1, kLatentChannels, exercise.side, exercise.side});
    const at::Tensor context = at::zeros({1, kTokens, kContextWidth});
    Timed result{.leaves = static_cast<double>(work.pass.size())};
    for (const memory::LeafUse& use : work.pass) {
        result.flops += use.flops;
    }
    result.seconds = secondsOfPass(residency, {device, unet.tree(), "none"}, exercise.repeats, [&] {
        Pass pass(residency, *unet.tree(), tensor::Record(nullptr));
        const at::Tensor noise = unet.predict(pass,
                                              tensor::upload(latents, pass.device()),
                                              at::scalar_tensor(1, at::kFloat),
                                              {.context = tensor::upload(context, pass.device())});
        static_cast<void>(tensor::scalar(noise.flatten()[0]));  // waits for what is queued
    });
    return result;
}

}  // namespace

ComputeSpeeds measureCompute(residency::Residency& residency,
                             const memory::DeviceSpec& device,
                             const ScratchWeights& scratch) {
    const Timed small = timed(residency, device, scratch, kSmall);
    const Timed large = timed(residency, device, scratch, kLarge);
    // seconds = leaves x overhead + flops / rate, for both; the leaves are the same ones.
    const Seconds more = large.seconds - small.seconds;
    if (more <= 0) {
        throw Error(ErrorKind::Device,
                    device.id() + " took no longer for more operations, so it cannot be measured",
                    "measure again when the machine has less to do");
    }
    ComputeSpeeds speeds;
    speeds.flopsPerSecond = (large.flops - small.flops) / more;
    speeds.leafOverhead =
        std::max(0.0, (small.seconds - small.flops / speeds.flopsPerSecond) / small.leaves);
    return speeds;
}

}  // namespace lowtide::models
