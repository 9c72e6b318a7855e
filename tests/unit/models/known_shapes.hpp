#pragma once
// Requests whose wires are known by their shapes alone, as before a run.

#include "nodes/engine/stages.hpp"

namespace lowtide::testing {

/// Outputs of the prompt encoder.
struct EncodeResult {
    models::WireRef positive;
    models::WireRef negative;
};

[[nodiscard]] EncodeResult encodePrompt(models::Stages& stages,
                                        const models::EncodeRequest& request,
                                        const models::StageCall& call);

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
    models::WireRef positiveEntries;
    models::WireRef negativeEntries;
    Shape mask;
    Shape masked;
    models::WireRef latentKind;
    models::WireRef maskedKind;
};

struct DetailShapes {
    Shape image;
    models::ConditioningShape positive;
    models::ConditioningShape negative;
};

/// The request with KnownValues of these shapes on its wires; other wires stay as they are.
[[nodiscard]] models::DecodeRequest known(const Shape& latent, models::DecodeRequest request);
[[nodiscard]] models::LatentUpscaleRequest known(const Shape& latent,
                                                 models::LatentUpscaleRequest request);
[[nodiscard]] models::LatentRepeatRequest known(const Shape& latent,
                                                const models::WireRef& kind,
                                                models::LatentRepeatRequest request);
[[nodiscard]] models::UpscaleRequest known(const Shape& image, models::UpscaleRequest request);
[[nodiscard]] models::UpscaleWithModelRequest known(const Shape& image,
                                                    models::UpscaleWithModelRequest request);
[[nodiscard]] models::SharpenRequest known(const Shape& image, models::SharpenRequest request);
[[nodiscard]] models::MatchColourRequest known(const Shape& image,
                                               const Shape& reference,
                                               models::MatchColourRequest request);
[[nodiscard]] models::MaskRequest known(const Shape& image, models::MaskRequest request);
[[nodiscard]] models::MaskGrowRequest known(const Shape& mask, models::MaskGrowRequest request);
[[nodiscard]] models::ImageEncodeRequest known(const ImageEncodeShapes& shapes,
                                               models::ImageEncodeRequest request);
[[nodiscard]] models::FitRequest known(const FitShapes& shapes, models::FitRequest request);
[[nodiscard]] models::CompositeRequest known(const CompositeShapes& shapes,
                                             models::CompositeRequest request);
[[nodiscard]] models::DenoiseRequest known(const DenoiseShapes& shapes,
                                           models::DenoiseRequest request);
[[nodiscard]] models::DetailRequest known(const DetailShapes& shapes,
                                          models::DetailRequest request);
[[nodiscard]] models::ConditioningEdit known(const std::vector<models::ConditioningShape>& inputs,
                                             models::ConditioningEdit edit);

}  // namespace lowtide::testing
