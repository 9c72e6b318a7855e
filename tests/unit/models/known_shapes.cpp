#include "tests/unit/models/known_shapes.hpp"

namespace lowtide::testing {

namespace {

using nodes::WireRef;

WireRef wire(const char* type, const Shape& shape, const WireRef& value = {}) {
    return shape.empty() && !value ? nullptr
                                   : std::make_shared<const nodes::KnownValue>(type, shape, value);
}

WireRef latentWire(const Shape& shape, const WireRef& kind = {}) {
    return std::make_shared<const nodes::KnownValue>("LATENT", shape, kind);
}

}  // namespace

EncodeResult encodePrompt(nodes::Stages& stages,
                          const testing::EncodeRequest& request,
                          const nodes::StageCall& call) {
    const std::vector<WireRef> values = testing::run(stages, request, call);
    return {.positive = values.at(0), .negative = values.at(1)};
}

testing::DecodeRequest known(const Shape& latent, testing::DecodeRequest request) {
    request.latent = latentWire(latent);
    return request;
}

testing::LatentUpscaleRequest known(const Shape& latent, testing::LatentUpscaleRequest request) {
    request.latent = latentWire(latent);
    return request;
}

testing::LatentRepeatRequest known(const Shape& latent,
                                   const WireRef& kind,
                                   testing::LatentRepeatRequest request) {
    request.latent = latentWire(latent, kind);
    return request;
}

testing::UpscaleRequest known(const Shape& image, testing::UpscaleRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

testing::UpscaleWithModelRequest known(const Shape& image,
                                       testing::UpscaleWithModelRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

testing::SharpenRequest known(const Shape& image, testing::SharpenRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

testing::MatchColourRequest known(const Shape& image,
                                  const Shape& reference,
                                  testing::MatchColourRequest request) {
    request.image = wire("IMAGE", image);
    request.reference = wire("IMAGE", reference);
    return request;
}

testing::MaskRequest known(const Shape& image, testing::MaskRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

testing::MaskGrowRequest known(const Shape& mask, testing::MaskGrowRequest request) {
    request.mask = wire("MASK", mask);
    return request;
}

testing::ImageEncodeRequest known(const ImageEncodeShapes& shapes,
                                  testing::ImageEncodeRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

testing::FitRequest known(const FitShapes& shapes, testing::FitRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

testing::CompositeRequest known(const CompositeShapes& shapes, testing::CompositeRequest request) {
    request.destination = wire("IMAGE", shapes.destination);
    request.source = wire("IMAGE", shapes.source);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

testing::DenoiseRequest known(const DenoiseShapes& shapes, testing::DenoiseRequest request) {
    request.latent = latentWire(shapes.latent, shapes.latentKind);
    request.positive = wire("CONDITIONING", shapes.positive, shapes.positiveEntries);
    request.negative = wire("CONDITIONING", shapes.negative, shapes.negativeEntries);
    request.mask = wire("MASK", shapes.mask);
    request.masked = wire("LATENT", shapes.masked, shapes.maskedKind);
    return request;
}

testing::DetailRequest known(const DetailShapes& shapes, testing::DetailRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.positive = wire("CONDITIONING", shapes.positive.shape, shapes.positive.entries);
    request.negative = wire("CONDITIONING", shapes.negative.shape, shapes.negative.entries);
    return request;
}

testing::ConditioningEdit known(const std::vector<nodes::ConditioningShape>& inputs,
                                testing::ConditioningEdit edit) {
    edit.first = wire("CONDITIONING", inputs.at(0).shape, inputs.at(0).entries);
    edit.second =
        inputs.size() > 1 ? wire("CONDITIONING", inputs[1].shape, inputs[1].entries) : nullptr;
    return edit;
}

}  // namespace lowtide::testing
