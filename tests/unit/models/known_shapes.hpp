#pragma once
// Requests whose wires are known by their shapes alone, as before a run.

#include "nodes/engine/conditioning_shape.hpp"
#include "nodes/engine/stages.hpp"
#include "tests/unit/models/node_call.hpp"

namespace lowtide::testing {

/// Outputs of the prompt encoder.
struct EncodeResult {
    nodes::WireRef positive;
    nodes::WireRef negative;
};

[[nodiscard]] EncodeResult encodePrompt(nodes::Stages& stages,
                                        const testing::EncodeRequest& request,
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
[[nodiscard]] testing::DecodeRequest known(const Shape& latent, testing::DecodeRequest request);
[[nodiscard]] testing::LatentUpscaleRequest known(const Shape& latent,
                                                  testing::LatentUpscaleRequest request);
[[nodiscard]] testing::LatentRepeatRequest known(const Shape& latent,
                                                 const nodes::WireRef& kind,
                                                 testing::LatentRepeatRequest request);
[[nodiscard]] testing::UpscaleRequest known(const Shape& image, testing::UpscaleRequest request);
[[nodiscard]] testing::UpscaleWithModelRequest known(const Shape& image,
                                                     testing::UpscaleWithModelRequest request);
[[nodiscard]] testing::SharpenRequest known(const Shape& image, testing::SharpenRequest request);
[[nodiscard]] testing::MatchColourRequest known(const Shape& image,
                                                const Shape& reference,
                                                testing::MatchColourRequest request);
[[nodiscard]] testing::MaskRequest known(const Shape& image, testing::MaskRequest request);
[[nodiscard]] testing::MaskGrowRequest known(const Shape& mask, testing::MaskGrowRequest request);
[[nodiscard]] testing::ImageEncodeRequest known(const ImageEncodeShapes& shapes,
                                                testing::ImageEncodeRequest request);
[[nodiscard]] testing::FitRequest known(const FitShapes& shapes, testing::FitRequest request);
[[nodiscard]] testing::CompositeRequest known(const CompositeShapes& shapes,
                                              testing::CompositeRequest request);
[[nodiscard]] testing::DenoiseRequest known(const DenoiseShapes& shapes,
                                            testing::DenoiseRequest request);
[[nodiscard]] testing::DetailRequest known(const DetailShapes& shapes,
                                           testing::DetailRequest request);
[[nodiscard]] testing::ConditioningEdit known(const std::vector<nodes::ConditioningShape>& inputs,
                                              testing::ConditioningEdit edit);

}  // namespace lowtide::testing
