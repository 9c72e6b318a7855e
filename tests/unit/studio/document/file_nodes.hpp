#pragma once
// Node types with files, as the module describes them, and graphs of them.

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

namespace lowtide::testing {

/// Loaders of a model, LoRAs, images, upscalers and ControlNets, and what uses what they give.
[[nodiscard]] std::vector<NodeDesc> fileNodes();

/// load -> encode -> denoise -> decode -> save, with an empty latent; 320 apart.
[[nodiscard]] graph::Document textToImage();
/// The same with photo -> start in place of the empty latent.
[[nodiscard]] graph::Document imageToImage();

/// What feeds an input, "node.port"; empty: nothing does.
[[nodiscard]] std::string feeding(const graph::Document& document,
                                  const std::string& node,
                                  const std::string& port);

}  // namespace lowtide::testing
