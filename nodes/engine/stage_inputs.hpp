#pragma once
// Wire values as the types that the stages work with.

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/message.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/controls/control_net.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/tensor/stage_values.hpp"

namespace lowtide::models {
class IpAdapter;
class ModelPart;
}  // namespace lowtide::models

namespace lowtide::nodes {

/// Each throws Error{InvalidInput} on port `item` when the value is missing or of another kind.
[[nodiscard]] const models::Model& modelIn(const memory::WireRef& value);
/// What load.checkpoint or load.upscaler gave.
[[nodiscard]] const models::ComponentSource& loadedIn(const memory::WireRef& value);
[[nodiscard]] const models::Upscaler& upscalerIn(const memory::WireRef& value);
[[nodiscard]] const models::ControlNet& controlNetIn(const memory::WireRef& value);
[[nodiscard]] const models::IpAdapter& ipAdapterIn(const memory::WireRef& value);
[[nodiscard]] const models::ModelPart& partIn(const memory::WireRef& value, const char* item);
[[nodiscard]] const tensor::Conditioning& conditioningIn(const memory::WireRef& value,
                                                         const char* item);
[[nodiscard]] const tensor::Latents& latentsIn(const memory::WireRef& value,
                                               const char* item = "latent");
[[nodiscard]] const tensor::Images& imagesIn(const memory::WireRef& value,
                                             const char* item = "image");
[[nodiscard]] const tensor::Masks& masksIn(const memory::WireRef& value);

/// StageDef::source of a stage that runs components of its model.
template <class Request>
[[nodiscard]] std::shared_ptr<const models::ComponentSource> modelOf(const Request& request) {
    return modelIn(request.model).shared_from_this();
}

/// Shape of images, masks or latents, there or known before the run; empty for null, and for
/// latents that have no shape yet.
[[nodiscard]] Shape shapeOf(const memory::WireRef& value);
/// What a latent is beyond its shape, as LatentSpec states it; null: no more.
[[nodiscard]] memory::WireRef kindOf(const memory::WireRef& latent);
/// Of a conditioning, likewise. Error{InvalidInput} on port `item` for null, and for a placeholder
/// with the shape of no conditioning.
[[nodiscard]] models::ConditioningSpec specAt(const memory::WireRef& value, const char* item);
/// What is known of a conditioning by what the node before states: without a value one prompt that
/// has embeds of that shape alone, everywhere and always.
[[nodiscard]] models::ConditioningSpec specOf(const executor::ValueSpec& known, const char* item);
/// What would have been known of a conditioning.
[[nodiscard]] models::ConditioningSpec specOf(const tensor::Conditioning& conditioning);
/// Size of an image's latents, `batch` of them. Error{InvalidInput} on `item`, with the code of
/// image sizes, where the model has none for that size.
[[nodiscard]] Shape latentShapeFor(const models::Model& model,
                                   const models::ImageSize& size,
                                   int64_t batch,
                                   const char* item);

/// Error{InvalidInput} unless a tensor of this shape can be latents of the model.
void checkLatents(const models::Model& model, const Shape& latents);

/// Error{Unsupported} on port "model" where it makes videos, and `what` is for images alone.
void requireImages(const models::Model& model, const Message& what);

/// Error{InvalidInput} unless a mask [1 or B, 1, H, W] is of the size of images [B, 3, H, W].
void checkMaskFits(const Shape& mask, const Shape& image);

/// "512 x 768".
[[nodiscard]] std::string imageSizeText(const models::ImageSize& size);
/// What the pipeline of a model makes of a size that it is asked for: as many pixels as it was
/// trained at, both sides rounded down. Source: the image pipelines of diffusers 0.42.1.
[[nodiscard]] models::ImageSize usualSizeFor(const models::ModelInfo& info,
                                             const models::ImageSize& size);

/// Error{InvalidInput} on "latent" for one that the denoiser has no space for.
void requireSpaceFor(const models::ModelInfo& info, const models::ImageSize& size);

}  // namespace lowtide::nodes
