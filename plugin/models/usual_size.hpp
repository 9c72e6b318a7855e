#pragma once
// What a model is usually asked for: sizes that it was trained at, and guidance. Torch-free.

#include "plugin/host_api/host.hpp"
#include "plugin/nn/model.hpp"

namespace lowtide::models {

/// What the pipeline of a model makes of a size that it is asked for: as many pixels as it was
/// trained at, both sides rounded down. Source: diffusers 0.42.1 HiDreamImagePipeline.
[[nodiscard]] PictureSize usualSizeFor(const ModelInfo& info, const PictureSize& size);

/// Error{InvalidInput} on "latent" for one that the denoiser has no room for.
void requireRoomFor(const ModelInfo& info, const PictureSize& size);

/// Says where its pipeline would make another size than the one that is asked for and made here, or
/// where the size is far from those of the training. `isEmpty`: the latent holds no picture yet.
[[nodiscard]] Issues sizeNotes(const ModelInfo& info, const Shape& latent, bool isEmpty);

/// Says where the guidance is far above what the model is used with.
[[nodiscard]] Issues guidanceNotes(const ModelInfo& info, double cfg);

}  // namespace lowtide::models
