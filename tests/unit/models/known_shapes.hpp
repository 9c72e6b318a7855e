#pragma once
// Requests whose wires are known by their shapes alone, as before a run.

#include "nodes/engine/stages.hpp"

namespace lowtide::testing {

/// Outputs of the prompt encoder.
struct EncodeResult {
    nodes::WireRef positive;
    nodes::WireRef negative;
};

[[nodiscard]] EncodeResult encodePrompt(nodes::Stages& stages,
                                        const nodes::EncodeRequest& request,
                                        const nodes::StageCall& call);

/// Empty shapes: not connected.
struct ImageEncodeShapes {
    Shape image;
    Shape mask;
};

struct FitShapes {
    Shape image;
    Shape mask;
};

struct CompositeShapes {
    Shape destination;
    Shape source;
    Shape mask;
};

/// Of latents and conditionings also what is known beyond their shape.
struct DenoiseShapes {
    Shape latent;
    Shape positive;
    Shape negative;
    nodes::WireRef positiveEntries;
    nodes::WireRef negativeEntries;
    Shape mask;
    Shape masked;
    nodes::WireRef latentKind;
    nodes::WireRef maskedKind;
};

struct DetailShapes {
    Shape image;
    nodes::ConditioningShape positive;
    nodes::ConditioningShape negative;
};

/// The request with KnownValues of these shapes on its wires; other wires stay as they are.
[[nodiscard]] nodes::DecodeRequest known(const Shape& latent, nodes::DecodeRequest request);
[[nodiscard]] nodes::LatentUpscaleRequest known(const Shape& latent,
                                                nodes::LatentUpscaleRequest request);
[[nodiscard]] nodes::LatentRepeatRequest known(const Shape& latent,
                                               const nodes::WireRef& kind,
                                               nodes::LatentRepeatRequest request);
[[nodiscard]] nodes::UpscaleRequest known(const Shape& image, nodes::UpscaleRequest request);
[[nodiscard]] nodes::UpscaleWithModelRequest known(const Shape& image,
                                                   nodes::UpscaleWithModelRequest request);
[[nodiscard]] nodes::SharpenRequest known(const Shape& image, nodes::SharpenRequest request);
[[nodiscard]] nodes::MatchColourRequest known(const Shape& image,
                                              const Shape& reference,
                                              nodes::MatchColourRequest request);
[[nodiscard]] nodes::MaskRequest known(const Shape& image, nodes::MaskRequest request);
[[nodiscard]] nodes::MaskGrowRequest known(const Shape& mask, nodes::MaskGrowRequest request);
[[nodiscard]] nodes::ImageEncodeRequest known(const ImageEncodeShapes& shapes,
                                              nodes::ImageEncodeRequest request);
[[nodiscard]] nodes::FitRequest known(const FitShapes& shapes, nodes::FitRequest request);
[[nodiscard]] nodes::CompositeRequest known(const CompositeShapes& shapes,
                                            nodes::CompositeRequest request);
[[nodiscard]] nodes::DenoiseRequest known(const DenoiseShapes& shapes,
                                          nodes::DenoiseRequest request);
[[nodiscard]] nodes::DetailRequest known(const DetailShapes& shapes, nodes::DetailRequest request);
[[nodiscard]] nodes::ConditioningEdit known(const std::vector<nodes::ConditioningShape>& inputs,
                                            nodes::ConditioningEdit edit);

}  // namespace lowtide::testing
