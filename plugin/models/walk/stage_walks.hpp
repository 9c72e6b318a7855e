#pragma once
// The stages on shapes alone: the very functions that run them, over a ShapeWalk. Run thread; no
// weight is read. What a stage would refuse is refused here in the same words.

#include "plugin/memory/stage_work.hpp"
#include "plugin/models/model.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

[[nodiscard]] memory::StageWork walkEncode(
    const EncodeRequest& request,
    const std::vector<memory::ComponentPrecision>& precisions,
    const memory::StagePlace& place);
/// Of the values that a picture file gives.
[[nodiscard]] memory::StageWork walkPicture(int64_t heightPixels,
                                            int64_t widthPixels,
                                            const memory::StagePlace& place);
/// Of the wires in `settings` only the model is looked at, here and below.
[[nodiscard]] memory::StageWork walkEncodeImage(
    const ImageEncodeShapes& shapes,
    const ImageEncodeRequest& settings,
    const std::vector<memory::ComponentPrecision>& precisions,
    const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkMask(const Shape& imageShape,
                                         const MaskRequest& settings,
                                         const memory::StagePlace& place);
/// Only the first steps are walked, enough for every sampler
/// to have its history; the passes are those of all steps. Where prompts speak at some times only,
/// all steps are walked.
[[nodiscard]] memory::StageWork walkDenoise(
    const DenoiseShapes& shapes,
    const DenoiseRequest& settings,
    const std::vector<memory::ComponentPrecision>& precisions,
    const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkDecode(
    const Shape& latentShape,
    const DecodeRequest& settings,
    const std::vector<memory::ComponentPrecision>& precisions,
    const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkUpscale(const Shape& imageShape,
                                            const UpscaleRequest& settings,
                                            const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkUpscale(
    const Shape& imageShape,
    const UpscaleWithModelRequest& settings,
    const std::vector<memory::ComponentPrecision>& precisions,
    const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkUpscale(const Shape& latentShape,
                                            const LatentUpscaleRequest& settings,
                                            const memory::StagePlace& place);
/// Wires in `edit` are not looked at.
[[nodiscard]] memory::StageWork walkConditioning(const std::vector<ConditioningShape>& inputs,
                                                 const ConditioningEdit& edit,
                                                 const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkSharpen(const Shape& imageShape,
                                            const SharpenRequest& settings,
                                            const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkMatchColour(const Shape& imageShape,
                                                const Shape& referenceShape,
                                                const MatchColourRequest& settings,
                                                const memory::StagePlace& place);
/// All steps of all tiles are walked, each network once for the one size of tiles. Of the wires in
/// `settings` only the model is looked at.
[[nodiscard]] memory::StageWork walkDetail(
    const DetailShapes& shapes,
    const DetailRequest& settings,
    const std::vector<memory::ComponentPrecision>& precisions,
    const memory::StagePlace& place);
/// Wires in `settings` are not looked at but the model, here and below.
[[nodiscard]] memory::StageWork walkFit(const FitShapes& shapes,
                                        const FitRequest& settings,
                                        const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkComposite(const CompositeShapes& shapes,
                                              const CompositeRequest& settings,
                                              const memory::StagePlace& place);
[[nodiscard]] memory::StageWork walkGrowMask(const Shape& maskShape,
                                             const MaskGrowRequest& settings,
                                             const memory::StagePlace& place);
/// `known`: StageOutline::outputValue of the latent, may be null.
[[nodiscard]] memory::StageWork walkRepeat(const Shape& latentShape,
                                           const WireRef& known,
                                           const LatentRepeatRequest& settings,
                                           const memory::StagePlace& place);
/// The 8-bit pictures of an image.
[[nodiscard]] memory::StageWork walkPictures(const Shape& imageShape,
                                             const memory::StagePlace& place);

}  // namespace lowtide::models
