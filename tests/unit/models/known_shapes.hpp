#pragma once
// Requests whose wires are known by their shapes alone, as before a run.

#include "nodes/engine/stages.hpp"
#include "tests/unit/models/node_call.hpp"

namespace lowtide::testing {

/// Outputs of the prompt encoder.
struct EncodeResult {
    nodes::WireRef positive;
    nodes::WireRef negative;
};

[[nodiscard]] EncodeResult encodePrompt(nodes::Stages& stages,
                                        const EncodeRequest& request,
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
    executor::ValueSpec positive;
    executor::ValueSpec negative;
};

/// The request with placeholders of these shapes on its wires; other wires are left as they are.
[[nodiscard]] DecodeRequest known(const Shape& latent, DecodeRequest request);
[[nodiscard]] LatentUpscaleRequest known(const Shape& latent, LatentUpscaleRequest request);
[[nodiscard]] LatentRepeatRequest known(const Shape& latent,
                                        const nodes::WireRef& kind,
                                        LatentRepeatRequest request);
[[nodiscard]] UpscaleRequest known(const Shape& image, UpscaleRequest request);
[[nodiscard]] UpscaleWithModelRequest known(const Shape& image, UpscaleWithModelRequest request);
[[nodiscard]] SharpenRequest known(const Shape& image, SharpenRequest request);
[[nodiscard]] MatchColourRequest known(const Shape& image,
                                       const Shape& reference,
                                       MatchColourRequest request);
[[nodiscard]] MaskRequest known(const Shape& image, MaskRequest request);
[[nodiscard]] MaskGrowRequest known(const Shape& mask, MaskGrowRequest request);
[[nodiscard]] ImageEncodeRequest known(const ImageEncodeShapes& shapes, ImageEncodeRequest request);
[[nodiscard]] FitRequest known(const FitShapes& shapes, FitRequest request);
[[nodiscard]] CompositeRequest known(const CompositeShapes& shapes, CompositeRequest request);
[[nodiscard]] DenoiseRequest known(const DenoiseShapes& shapes, DenoiseRequest request);
[[nodiscard]] DetailRequest known(const DetailShapes& shapes, DetailRequest request);
[[nodiscard]] ConditioningEdit known(const std::vector<executor::ValueSpec>& inputs,
                                     ConditioningEdit edit);

}  // namespace lowtide::testing
