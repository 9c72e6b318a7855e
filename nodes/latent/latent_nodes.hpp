#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::models {
class Stages;
}

namespace lowtide::nodes {

/// "latent.empty": a size to fill.
[[nodiscard]] executor::NodeType emptyLatentNode(models::Stages& stages);
/// "latent.video": a size, a length and a rate to fill.
[[nodiscard]] executor::NodeType emptyVideoNode(models::Stages& stages);
/// "latent.repeat": a latent several times.
[[nodiscard]] executor::NodeType repeatLatentNode(models::Stages& stages);
/// "latent.upscale": latents at another size.
[[nodiscard]] executor::NodeType upscaleLatentNode(models::Stages& stages);

}  // namespace lowtide::nodes
