#pragma once
// Sizes of pictures that a model was trained at. Torch-free.

#include "plugin/host_api/host.hpp"
#include "plugin/models/model.hpp"

namespace lowtide::models {

/// What the pipeline of a model makes of a size that it is asked for: as many pixels as it was
/// trained at, both sides rounded down. Source: diffusers 0.42.1 HiDreamImagePipeline.
[[nodiscard]] PictureSize usualSizeFor(const ModelInfo& info, const PictureSize& size);

/// Error{InvalidInput} on "latent" for one that the denoiser has no room for.
void requireRoomFor(const ModelInfo& info, const PictureSize& size);

/// Tells where its pipeline would make another size than the one that is asked for and made here.
[[nodiscard]] Issues sizeNotes(const ModelInfo& info, const Shape& latent);

}  // namespace lowtide::models
