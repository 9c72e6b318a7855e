#pragma once

#include "plugin/base/shape.hpp"
#include "plugin/models/stages.hpp"
#include "plugin/sampling/inpainting.hpp"

namespace lowtide::models {

class Model;

/// Shapes around a mask; empty: not connected.
struct InpaintShapes {
    Shape latent;         ///< [B, C, h, w]
    bool isEmpty = true;  ///< the latent holds no picture
    Shape mask;
    Shape masked;  ///< latent of the masked picture
};

/// Error{InvalidInput} names the port or the setting that the model or the others cannot go with: a
/// mask of another size, without a picture around it, without the masked picture for a model that
/// fills masks; strength without a picture.
void checkInpainting(const Model& model,
                     const DenoiseRequest& settings,
                     const InpaintShapes& shapes);

/// Mask and masked picture of the request at the size of `latents` [B, C, h, w] and on their
/// device; the mask by its nearest pixels, as diffusers 0.42.1 does. Checked before.
[[nodiscard]] sampling::Inpainting inpaintingFor(const Model& model,
                                                 const DenoiseRequest& request,
                                                 const at::Tensor& latents);

}  // namespace lowtide::models
