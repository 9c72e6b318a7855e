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
                          const nodes::EncodeRequest& request,
                          const nodes::StageCall& call) {
    const std::vector<WireRef> values = stages.run(request, call);
    return {.positive = values.at(0), .negative = values.at(1)};
}

nodes::DecodeRequest known(const Shape& latent, nodes::DecodeRequest request) {
    request.latent = latentWire(latent);
    return request;
}

nodes::LatentUpscaleRequest known(const Shape& latent, nodes::LatentUpscaleRequest request) {
    request.latent = latentWire(latent);
    return request;
}

nodes::LatentRepeatRequest known(const Shape& latent,
                                 const WireRef& kind,
                                 nodes::LatentRepeatRequest request) {
    request.latent = latentWire(latent, kind);
    return request;
}

nodes::UpscaleRequest known(const Shape& image, nodes::UpscaleRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

nodes::UpscaleWithModelRequest known(const Shape& image, nodes::UpscaleWithModelRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

nodes::SharpenRequest known(const Shape& image, nodes::SharpenRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

nodes::MatchColourRequest known(const Shape& image,
                                const Shape& reference,
                                nodes::MatchColourRequest request) {
    request.image = wire("IMAGE", image);
    request.reference = wire("IMAGE", reference);
    return request;
}

nodes::MaskRequest known(const Shape& image, nodes::MaskRequest request) {
    request.image = wire("IMAGE", image);
    return request;
}

nodes::MaskGrowRequest known(const Shape& mask, nodes::MaskGrowRequest request) {
    request.mask = wire("MASK", mask);
    return request;
}

nodes::ImageEncodeRequest known(const ImageEncodeShapes& shapes,
                                nodes::ImageEncodeRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

nodes::FitRequest known(const FitShapes& shapes, nodes::FitRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

nodes::CompositeRequest known(const CompositeShapes& shapes, nodes::CompositeRequest request) {
    request.destination = wire("IMAGE", shapes.destination);
    request.source = wire("IMAGE", shapes.source);
    request.mask = wire("MASK", shapes.mask);
    return request;
}

nodes::DenoiseRequest known(const DenoiseShapes& shapes, nodes::DenoiseRequest request) {
    request.latent = latentWire(shapes.latent, shapes.latentKind);
    request.positive = wire("CONDITIONING", shapes.positive, shapes.positiveEntries);
    request.negative = wire("CONDITIONING", shapes.negative, shapes.negativeEntries);
    request.mask = wire("MASK", shapes.mask);
    request.masked = wire("LATENT", shapes.masked, shapes.maskedKind);
    return request;
}

nodes::DetailRequest known(const DetailShapes& shapes, nodes::DetailRequest request) {
    request.image = wire("IMAGE", shapes.image);
    request.positive = wire("CONDITIONING", shapes.positive.shape, shapes.positive.entries);
    request.negative = wire("CONDITIONING", shapes.negative.shape, shapes.negative.entries);
    return request;
}

nodes::ConditioningEdit known(const std::vector<nodes::ConditioningShape>& inputs,
                              nodes::ConditioningEdit edit) {
    edit.first = wire("CONDITIONING", inputs.at(0).shape, inputs.at(0).entries);
    edit.second =
        inputs.size() > 1 ? wire("CONDITIONING", inputs[1].shape, inputs[1].entries) : nullptr;
    return edit;
}

}  // namespace lowtide::testing
