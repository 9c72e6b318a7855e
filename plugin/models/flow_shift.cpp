#include "plugin/models/flow_shift.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/latent_outline.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <cmath>

namespace lowtide::models {

namespace {

constexpr double kMostShift = 100;

std::optional<PictureSize> sizeIn(const Model& model, const WireRef& latent) {
    if (const WireRef kind = kindOf(latent); const EmptyOutline* empty = emptyIn(kind)) {
        return empty->size;
    }
    const Shape shape = shapeOf(latent);
    return model.info().latent.holds(shape) ? std::optional(model.info().latent.sizeOf(shape))
                                            : std::nullopt;
}

/// Tokens of the denoiser for a picture, from which a file's dynamic shift follows.
int64_t pictureTokensOf(const Model& model, const PictureSize& size) {
    const int64_t side = model.info().latent.multiple;
    return size.width / side * (size.height / side);
}

std::optional<FlowShift> automaticShift(const Model& model, const DenoiseRequest& request) {
    const ModelInfo& info = model.info();
    const std::optional<PictureSize> size = sizeIn(model, request.latent);
    if (!size) {
        return std::nullopt;
    }
    const std::string reason =
        "automatic for " + (info.boundaryRatio > 0 ? "a model of two experts"
                                                   : std::to_string(size->width) + " x " +
                                                         std::to_string(size->height));
    if (info.flowShift) {
        return FlowShift{.value = info.flowShift(*size), .reason = reason};
    }
    const auto mu = sampling::flowMu(info.schedulerConfig, pictureTokensOf(model, *size));
    return mu ? std::optional(FlowShift{.value = sampling::flowShiftOf(info.schedulerConfig, *mu),
                                        .reason = reason,
                                        .mu = mu})
              : std::nullopt;
}

}  // namespace

std::optional<FlowShift> flowShiftFor(const Model& model, const DenoiseRequest& request) {
    const bool isFlow = sampling::isFlow(model.info().schedulerConfig);
    if (request.shift == 0) {
        return isFlow ? automaticShift(model, request) : std::nullopt;
    }
    requireThat(isFlow,
                "the flow shift is " + formatNumber(request.shift) + ", and the model is no flow",
                "set it to 0",
                "shift");
    requireThat(std::isfinite(request.shift) && request.shift > 0 && request.shift <= kMostShift,
                "the flow shift is " + formatNumber(request.shift),
                "choose a number above 0, at most " + formatNumber(kMostShift) +
                    ", or 0 for the automatic one",
                "shift");
    return FlowShift{.value = request.shift, .reason = "set"};
}

Issues shiftNotes(const Model& model, const DenoiseRequest& request) {
    const auto shift = flowShiftFor(model, request);
    if (!shift || request.shift != 0) {
        return {};
    }
    return {{.severity = Severity::Info,
             .code = "flow_shift",
             .item = "shift",
             .message = "the flow shift is " + formatNumber(shift->value) + ", " + shift->reason,
             .hint = "set it to take another one"}};
}

Json schedulerFor(const Model& model, const DenoiseRequest& request) {
    const Json& config = model.info().schedulerConfig;
    const std::optional<FlowShift> shift = flowShiftFor(model, request);
    if (!shift) {
        return config;
    }
    return shift->mu ? sampling::withFlowMu(config, *shift->mu)
                     : sampling::withFlowShift(config, shift->value);
}

}  // namespace lowtide::models
