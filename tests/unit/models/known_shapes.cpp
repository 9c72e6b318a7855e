#include "tests/unit/models/known_shapes.hpp"

namespace lowtide::testing {

namespace {

using nodes::WireRef;

WireRef wire(const char* type, const Shape& shape, const WireRef& value = {}) {
    return shape.empty() && !value ? nullptr
                                   : std::make_shared<const nodes::Placeholder>(executor::ValueSpec{
                                         .type = type, .shape = shape, .value = value});
}

WireRef latentWire(const Shape& shape, const WireRef& kind = {}) {
    return std::make_shared<const nodes::Placeholder>(
        executor::ValueSpec{.type = "LATENT", .shape = shape, .value = kind});
}

}  // namespace

EncodeResult encodePrompt(nodes::Stages& stages,
                          const EncodeRequest& request,
                          const nodes::StageCall& call) {
    const std::vector<WireRef> values = testing::run(stages, request, call);
    return {.positive = values.at(0), .negative = values.at(1)};
}

DecodeRequest known(const Shape& latent, DecodeRequest request) {
    request.latent = latentWire(latent);
    return request;
}

LatentUpscaleRequest known(const Shape& latent, LatentUpscaleRequest request) {
    request.latent = latentWire(latent);
    return request;
}

LatentRepeatRequest known(const Shape& latent, const WireRef& kind, LatentRepeatRequest request) {
    request.latent = latentWire(latent, kind);
    return request;
}

UpscaleRequest known(const Shape& image, UpscaleRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

UpscaleWithModelRequest known(const Shape& image, UpscaleWithModelRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

SharpenRequest known(const Shape& image, SharpenRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

MatchColourRequest known(const Shape& image, const Shape& reference, MatchColourRequest request) {
    request.image = wire("IMAGE", image);
    request.reference = wire("IMAGE", reference);
    return request;
}

MaskRequest known(const Shape& image, MaskRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

MaskGrowRequest known(const Shape& mask, MaskGrowRequest request) {
    request.mask = wire("MASK", mask);
    return request;
}

ImageEncodeRequest known(const ImageEncodeShapes& shapes, ImageEncodeRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

FitRequest known(const FitShapes& shapes, FitRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

CompositeRequest known(const CompositeShapes& shapes, CompositeRequest request) {
    request.destination = wire("IMAGE", shapes.destination);
    request.source = wire("IMAGE", shapes.source);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

DenoiseRequest known(const DenoiseShapes& shapes, DenoiseRequest request) {
    request.latent = latentWire(shapes.latent, shapes.latentKind);
    request.positive = wire("CONDITIONING", shapes.positive, shapes.positiveEntries);
    request.negative = wire("CONDITIONING", shapes.negative, shapes.negativeEntries);
    request.mask = wire("MASK", shapes.mask);
    request.masked = wire("LATENT", shapes.masked, shapes.maskedKind);
    return request;
}

DetailRequest known(const DetailShapes& shapes, DetailRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.positive = wire("CONDITIONING", shapes.positive.shape, shapes.positive.value);
    request.negative = wire("CONDITIONING", shapes.negative.shape, shapes.negative.value);
    return request;
}

ConditioningEdit known(const std::vector<executor::ValueSpec>& inputs, ConditioningEdit edit) {
    edit.first = wire("CONDITIONING", inputs.at(0).shape, inputs.at(0).value);
    edit.second =
        inputs.size() > 1 ? wire("CONDITIONING", inputs[1].shape, inputs[1].value) : nullptr;
    return edit;
}

}  // namespace lowtide::testing
