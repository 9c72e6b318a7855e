#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/sigma_sampler.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kEulerAncestralClass = {
    .label = "Euler a", .hasZeroSnr = true, .predictsSample = false, .hasEdm = true};

/// Ancestral Euler: steps further down than asked and adds fresh noise on every step, the last
/// included (times 0 there, but drawn). Source: k-diffusion sample_euler_ancestral; values:
/// EulerAncestralDiscreteScheduler.
class EulerAncestral final : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const float from = sigma(call);
        const float to = sigma(call + 1);
        const float up = root(to * to * (from * from - to * to) / (from * from));
        const float down = root(to * to - up * up);
        const at::Tensor slope = (latents - clean(prediction, latents, from)) / from;
        const at::Tensor moved = latents + slope * (down - from);
        return moved + noise(prediction.sizes()) * up;
    }
};

std::unique_ptr<Sampler> makeEulerAncestral(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<EulerAncestral>(
        readSchedulerConfig(config, kEulerAncestralClass, options), options);
}

}  // namespace

SamplerType euler_a() {
    return {.name = "euler_a",
            .label = kEulerAncestralClass.label,
            .schedulerClass = "EulerAncestralDiscreteScheduler",
            .drawsNoise = true,
            .readsZeroSnr = kEulerAncestralClass.hasZeroSnr,
            .make = makeEulerAncestral};
}

}  // namespace lowtide::sampling
