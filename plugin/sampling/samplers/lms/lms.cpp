#include "plugin/sampling/history.hpp"
#include "plugin/sampling/own_levels.hpp"
#include "plugin/sampling/sigma_sampler.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::sampling {

namespace {

const SchedulerClass kLmsClass = {
    .label = "LMS", .hasSigmaSpreads = true, .hasEdm = true, .hasFlow = true};

constexpr int kOrder = 4;

/// Linear multistep method (Adams-Bashforth on uneven sigmas) along dx/dsigma. Source: k-diffusion
/// sample_lms; values: LMSDiscreteScheduler.
class Lms final : public SigmaSampler {
public:
    Lms(const SchedulerConfig& config, const ScheduleOptions& options)
        : SigmaSampler(config, options) {
        requireFalling(schedule());
    }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        const float level = sigma(call);
        const at::Tensor slope = (latents - clean(prediction, latents, level)) / level;
        const int order = std::min(call + 1, kOrder);
        at::Tensor way = slope * weight(call, 0, order);
        for (int ago = 1; ago < order && static_cast<size_t>(ago) <= slopes_.size(); ++ago) {
            way = way + slopes_.ago(static_cast<size_t>(ago)) * weight(call, ago, order);
        }
        slopes_.push(slope);
        return latents + way;
    }

    void save(tensor::SamplerCarry& carry) const override { carry.history = slopes_.entries(); }

    void restore(const tensor::SamplerCarry& carry) override { slopes_.restore(carry.history); }

    int historyLength() const override { return kOrder - 1; }

private:
    /// Value at `at` of the polynomial that is 1 at the sigma of `ago` calls ago and 0 at those of
    /// the other `order` - 1.
    [[nodiscard]] double lagrange(double at, int call, int ago, int order) const {
        const double own = sigma(call - ago);
        double value = 1;
        for (int other = 0; other < order; ++other) {
            if (other != ago) {
                const double zero = sigma(call - other);
                value *= (at - zero) / (own - zero);
            }
        }
        return value;
    }

    /// Its integral over the step: Gauss' rule with two points, exact for the third degree.
    [[nodiscard]] double weight(int call, int ago, int order) const {
        const double from = sigma(call);
        const double to = sigma(call + 1);
        const double middle = (from + to) / 2;
        const double half = (to - from) / 2;
        const double place = half / std::sqrt(3.0);
        return half * (lagrange(middle - place, call, ago, order) +
                       lagrange(middle + place, call, ago, order));
    }

    History slopes_{kOrder - 1};
};

std::unique_ptr<Sampler> makeLms(const Json& config, const ScheduleOptions& options) {
    SchedulerConfig settings = readSchedulerConfig(config, kLmsClass, options);
    if (settings.spread == SigmaSpread::Karras) {  // this class leaves the file's bounds out there
        settings.sigmaMin.reset();
        settings.sigmaMax.reset();
    }
    return std::make_unique<Lms>(settings, options);
}

}  // namespace

SamplerType lms() {
    return {.name = "lms",
            .label = kLmsClass.label,
            .schedulerClass = "LMSDiscreteScheduler",
            .readsZeroSnr = kLmsClass.hasZeroSnr,
            .make = makeLms};
}

}  // namespace lowtide::sampling
