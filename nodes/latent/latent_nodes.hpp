#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "latent.empty": a size to fill.
[[nodiscard]] executor::NodeType emptyLatentNode(Stages& stages);
/// "latent.video": a size, a length and a rate to fill.
[[nodiscard]] executor::NodeType emptyVideoNode(Stages& stages);
/// "latent.repeat": a latent several times.
[[nodiscard]] executor::NodeType repeatLatentNode(Stages& stages);
/// "latent.upscale": latents at another size.
[[nodiscard]] executor::NodeType upscaleLatentNode(Stages& stages);

}  // namespace lowtide::nodes
