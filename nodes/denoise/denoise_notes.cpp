#include "nodes/denoise/denoise_notes.hpp"

#include "nodes/denoise/denoise_schedule.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

namespace lowtide::nodes {

Issues shiftNotes(const models::Model& model, const DenoiseAsked& asked) {
    const auto shift = flowShiftFor(model, asked);
    if (!shift || asked.shift != 0) {
        return {};
    }
    return {
        {.severity = Severity::Info,
         .code = "flow_shift",
         .item = "shift",
         .message = message("the flow shift is {}, {}", formatNumber(shift->value), shift->reason),
         .hint = message("set it to take another one")}};
}

namespace {

// Of the usual pixels; a second pass over an image may be larger.
constexpr int64_t kFewPixels = 256 * 256;  ///< models of demonstrations have no sizes of their own
constexpr double kFarBelow = 0.5;
constexpr double kFarAbove = 2.5;
constexpr double kMuchGuidance = 2;  ///< times the usual one

Issue usualSizeNote(Message message, Message hint) {
    return {.severity = Severity::Info,
            .code = "usual_size",
            .item = "latent",
            .message = std::move(message),
            .hint = std::move(hint)};
}

}  // namespace

Issues sizeNotes(const models::ModelInfo& info, const Shape& latent, bool isEmpty) {
    if (info.usual.pixels == 0 || info.latent.hasFrames || !info.latent.holds(latent)) {
        return {};
    }
    const models::ImageSize size = info.latent.sizeOf(latent);
    const models::ImageSize usual = usualSizeFor(info, size);
    if (usual.width == size.width && usual.height == size.height) {
        return {};
    }
    if (info.usual.scalesToPixels) {
        return {
            usualSizeNote(message("the image is {}, as asked for; {} was trained at other sizes, "
                                  "and its own pipeline would make {}",
                                  imageSizeText(size),
                                  info.checkpoint,
                                  imageSizeText(usual)),
                          message("choose that size for images like those that it learnt from"))};
    }
    if (info.usual.pixels < kFewPixels) {
        return {};
    }
    const double times =
        static_cast<double>(size.width * size.height) / static_cast<double>(info.usual.pixels);
    const bool isLarge = isEmpty && times > kFarAbove;
    if (times >= kFarBelow && !isLarge) {
        return {};
    }
    return {usualSizeNote(message("the image is {}, and {} was trained at about {}",
                                  imageSizeText(size),
                                  info.checkpoint,
                                  imageSizeText(usual)),
                          isLarge ? message("choose that size, and enlarge the image in a second "
                                            "pass: larger ones repeat their subjects")
                                  : message("choose that size: smaller ones lack detail"))};
}

std::shared_ptr<const Json> sizeFacts(const models::ModelInfo& info) {
    return info.usual.pixels > 0
               ? std::make_shared<const Json>(Json{{"usual_pixels", info.usual.pixels}})
               : nullptr;
}

Issues guidanceNotes(const models::ModelInfo& info, double cfg) {
    if (info.usual.cfg == 0) {
        return {};
    }
    if (cfg < 0) {
        return {{.severity = Severity::Info,
                 .code = "automatic_guidance",
                 .item = "cfg",
                 .message = message("the guidance is {}, with which {} is usually run",
                                    formatNumber(info.usual.cfg),
                                    info.checkpoint),
                 .hint = message("set it to take another one")}};
    }
    if (cfg <= kMuchGuidance * info.usual.cfg) {
        return {};
    }
    return {{.severity = Severity::Info,
             .code = "usual_guidance",
             .item = "cfg",
             .message = message("the guidance is {}, and {} is usually run with {}",
                                formatNumber(cfg),
                                info.checkpoint,
                                formatNumber(info.usual.cfg)),
             .hint = message("set the guidance to {}", formatNumber(info.usual.cfg))}};
}

namespace {

constexpr const char* kZeroSnr = "rescale_betas_zero_snr";

Issue zeroSnrWarning(const Message& problem, const Message& hint, const char* item) {
    return {
        .severity = Severity::Warning,
        .code = "zero_snr",
        .item = item,
        .message = message("the checkpoint was trained down to noise without signal ({}), but {}",
                           kZeroSnr,
                           problem),
        .hint = hint};
}

}  // namespace

Issues scheduleWarnings(const models::Model& model,
                        const DenoiseAsked& asked,
                        const sampling::Sampler& sampler) {
    if (solverFor(model, asked)) {
        return {};  // every schedule begins at the highest level of the training
    }
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(asked.sampler, schedulerFor(model, asked));
    const JsonReader file(chosen.config, "scheduler_config.json");
    if (!file.boolean(kZeroSnr).value_or(false)) {
        return {};
    }
    if (!chosen.type.readsZeroSnr) {
        return {zeroSnrWarning(
            message("{} does not read that", chosen.facts.label),
            message("choose ddim, euler, euler_a, dpmpp_2m or unipc, with the spacing trailing"),
            "sampler")};
    }
    const int64_t last = sampling::trainStepsOf(chosen.config) - 1;
    const double first = sampling::timestepIn(sampler.schedule().timesteps.select(0, 0));
    if (first < static_cast<double>(last)) {
        return {zeroSnrWarning(
            message("the steps begin at timestep {} of {}", formatNumber(first), last),
            message("choose the spacing trailing"),
            "spacing")};
    }
    return {};
}

Issues handoverWarnings(const DenoiseAsked& asked, const WireRef& latentKind) {
    constexpr double kPerMille = 1000;
    if (asked.startAt == 0 || !isDistribution(latentKind)) {
        return {};
    }
    const double strength = std::round((1 - asked.startAt) * kPerMille) / kPerMille;
    return {
        {.severity = Severity::Warning,
         .code = "handover",
         .item = "start_at",
         .message = message(
             "start_at {} adds no noise, and the latent is an encoded image, which has none",
             formatNumber(asked.startAt)),
         .hint = message("set start_at to 0 and the strength to {} to regenerate an image in part",
                         formatNumber(strength))}};
}

/// Source: Podell et al. 2023 (arXiv 2307.01952), section 2.5.
Issues refinerWarnings(const models::Model& model, const WireRef& latentKind) {
    if (!model.info().isRefiner || !emptyIn(latentKind)) {
        return {};
    }
    return {{.severity = Severity::Warning,
             .code = "refiner_begins",
             .item = "latent",
             .message = message("{} is a refiner: it was trained on the lowest fifth of the noise "
                                "levels alone, and this latent is empty, all noise",
                                model.info().checkpoint),
             .hint = message("choose a base, and let the refiner go on with its latent (start_at "
                             "0.8), or refine an image with a strength of 0.3 or less")}};
}

}  // namespace lowtide::nodes
