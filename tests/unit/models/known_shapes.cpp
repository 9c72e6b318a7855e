#include "tests/unit/models/known_shapes.hpp"

namespace lowtide::testing {

namespace {

using models::WireRef;

WireRef wire(const char* type, const Shape& shape, const WireRef& value = {}) {
    return shape.empty() && !value ? nullptr
                                   : std::make_shared<const models::KnownValue>(type, shape, value);
}

WireRef latentWire(const Shape& shape, const WireRef& kind = {}) {
    return std::make_shared<const models::KnownValue>("LATENT", shape, kind);
}

}  // namespace

EncodeResult encodePrompt(models::Stages& stages,
                          const models::EncodeRequest& request,
                          const models::StageCall& call) {
    const std::vector<WireRef> values = stages.run(request, call);
    return {.positive = values.at(0), .negative = values.at(1)};
}

models::DecodeRequest known(const Shape& latent, models::DecodeRequest request) {
    request.latent = latentWire(latent);
    return request;
}

models::LatentUpscaleRequest known(const Shape& latent, models::LatentUpscaleRequest request) {
    request.latent = latentWire(latent);
    return request;
}

models::LatentRepeatRequest known(const Shape& latent,
                                  const WireRef& kind,
                                  models::LatentRepeatRequest request) {
    request.latent = latentWire(latent, kind);
    return request;
}

models::UpscaleRequest known(const Shape& image, models::UpscaleRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

models::UpscaleWithModelRequest known(const Shape& image, models::UpscaleWithModelRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

models::SharpenRequest known(const Shape& image, models::SharpenRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

models::MatchColourRequest known(const Shape& image,
                                 const Shape& reference,
                                 models::MatchColourRequest request) {
    request.image = wire("IMAGE", image);
    request.reference = wire("IMAGE", reference);
    return request;
}

models::MaskRequest known(const Shape& image, models::MaskRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

models::MaskGrowRequest known(const Shape& mask, models::MaskGrowRequest request) {
    request.mask = wire("MASK", mask);
    return request;
}

models::ImageEncodeRequest known(const ImageEncodeShapes& shapes,
                                 models::ImageEncodeRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

models::FitRequest known(const FitShapes& shapes, models::FitRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

models::CompositeRequest known(const CompositeShapes& shapes, models::CompositeRequest request) {
    request.destination = wire("IMAGE", shapes.destination);
    request.source = wire("IMAGE", shapes.source);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

models::DenoiseRequest known(const DenoiseShapes& shapes, models::DenoiseRequest request) {
    request.latent = latentWire(shapes.latent, shapes.latentKind);
    request.positive = wire("CONDITIONING", shapes.positive, shapes.positiveEntries);
    request.negative = wire("CONDITIONING", shapes.negative, shapes.negativeEntries);
    request.mask = wire("MASK", shapes.mask);
    request.masked = wire("LATENT", shapes.masked, shapes.maskedKind);
    return request;
}

models::DetailRequest known(const DetailShapes& shapes, models::DetailRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.positive = wire("CONDITIONING", shapes.positive.shape, shapes.positive.entries);
    request.negative = wire("CONDITIONING", shapes.negative.shape, shapes.negative.entries);
    return request;
}

models::ConditioningEdit known(const std::vector<models::ConditioningShape>& inputs,
                               models::ConditioningEdit edit) {
    edit.first = wire("CONDITIONING", inputs.at(0).shape, inputs.at(0).entries);
    edit.second =
        inputs.size() > 1 ? wire("CONDITIONING", inputs[1].shape, inputs[1].entries) : nullptr;
    return edit;
}

}  // namespace lowtide::testing
