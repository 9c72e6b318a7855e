#include "plugin/models/schedule_warnings.hpp"

#include "plugin/base/text.hpp"
#include "plugin/models/flow_shift.hpp"
#include "plugin/models/latent_outline.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/sampler.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::models {

namespace {

constexpr const char* kZeroSnr = "rescale_betas_zero_snr";

Issue zeroSnrWarning(const std::string& problem, const char* hint, const char* item) {
    return {.severity = Severity::Warning,
            .code = "zero_snr",
            .item = item,
            .message = "the checkpoint was trained down to noise without signal (" +
                       std::string(kZeroSnr) + "), but " + problem,
            .hint = hint};
}

}  // namespace

Issues scheduleWarnings(const Model& model,
                        const DenoiseRequest& request,
                        const sampling::Sampler& sampler) {
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(request.sampler, schedulerFor(model, request));
    const JsonReader file(chosen.config, "scheduler_config.json");
    if (!file.boolean(kZeroSnr).value_or(false)) {
        return {};
    }
    if (!chosen.type.readsZeroSnr) {
        return {zeroSnrWarning(chosen.facts.label + " does not read that",
                               "choose ddim, euler, euler_a, dpmpp_2m or unipc, with the spacing "
                               "trailing",
                               "sampler")};
    }
    const int64_t last = sampling::trainStepsOf(chosen.config) - 1;
    const double first = sampling::timestepIn(sampler.schedule().timesteps.select(0, 0));
    if (first < static_cast<double>(last)) {
        return {zeroSnrWarning(
            "the steps begin at timestep " + formatNumber(first) + " of " + std::to_string(last),
            "choose the spacing trailing",
            "spacing")};
    }
    return {};
}

Issues handoverWarnings(const DenoiseRequest& request, const WireRef& latentKind) {
    constexpr double kPerMille = 1000;
    if (request.startAt == 0 || !isDistribution(latentKind)) {
        return {};
    }
    const double strength = std::round((1 - request.startAt) * kPerMille) / kPerMille;
    return {{.severity = Severity::Warning,
             .code = "handover",
             .item = "start_at",
             .message = "start_at " + formatNumber(request.startAt) +
                        " adds no noise, and the latent is an encoded picture, which has none",
             .hint = "set start_at to 0 and the strength to " + formatNumber(strength) +
                     " to make a picture anew in part"}};
}

/// Source: Podell et al. 2023 (arXiv 2307.01952), section 2.5.
Issues refinerWarnings(const Model& model, const WireRef& latentKind) {
    if (!model.info().isRefiner || !emptyIn(latentKind)) {
        return {};
    }
    return {{.severity = Severity::Warning,
             .code = "refiner_begins",
             .item = "latent",
             .message = model.info().checkpoint +
                        " is a refiner: it was trained on the lowest fifth of the noise levels "
                        "alone, and this latent is empty, all noise",
             .hint = "choose a base, and let the refiner go on with its latent (start_at 0.8), or "
                     "refine a picture with a strength of 0.3 or less"}};
}

}  // namespace lowtide::models
