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

}  // namespace

std::optional<FlowShift> flowShiftFor(const Model& model, const DenoiseRequest& request) {
    const ModelInfo& info = model.info();
    const bool isFlow = sampling::isFlow(info.schedulerConfig);
    if (request.shift == 0) {
        const std::optional<PictureSize> size =
            info.flowShift ? sizeIn(model, request.latent) : std::nullopt;
        if (!isFlow || !size) {
            return std::nullopt;
        }
        const std::string what = info.boundaryRatio > 0 ? "a model of two experts"
                                                        : std::to_string(size->width) + " x " +
                                                              std::to_string(size->height);
        return FlowShift{.value = info.flowShift(*size), .reason = "automatic for " + what};
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

Json schedulerFor(const Model& model, const DenoiseRequest& request) {
    const Json& config = model.info().schedulerConfig;
    const std::optional<FlowShift> shift = flowShiftFor(model, request);
    return shift ? sampling::withFlowShift(config, shift->value) : config;
}

}  // namespace lowtide::models
