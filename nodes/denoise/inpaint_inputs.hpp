#pragma once

#include "nodes/denoise/denoise.hpp"
#include "plugin/base/units.hpp"
#include "plugin/sampling/schedule_range.hpp"

namespace lowtide::models {
class Model;
}

namespace lowtide::nodes {

/// Shapes around a mask; empty: not connected.
struct InpaintShapes {
    Shape latent;         ///< [B, C, h, w]
    bool isEmpty = true;  ///< the latent holds no image
    Shape mask;
    Shape masked;  ///< latent of the masked image
};

/// Error{InvalidInput} names the port or the setting that the model or the others cannot go with: a
/// mask of another size, without an image around it, without the masked image for a model that
/// fills masks; strength without an image.
void checkInpainting(const models::Model& model,
                     const DenoiseAsked& asked,
                     const InpaintShapes& shapes);

/// Mask and masked image at the size of `latents` [B, C, h, w] and on their
/// device. A latent pixel is masked as much as any pixel of its block is; for a network that fills
/// masks it is masked or not, and a mask that is too faint for that warns through `call`. Checked
/// before. Decision 0071.
[[nodiscard]] sampling::Inpainting inpaintingFor(const models::Model& model,
                                                 const DenoiseAsked& asked,
                                                 const at::Tensor& latents,
                                                 const StageCall& call);

}  // namespace lowtide::nodes
