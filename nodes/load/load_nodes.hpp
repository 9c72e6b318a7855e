#pragma once

#include "plugin/executor/node.hpp"

#include <vector>

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "load.upscaler": a network that enlarges pictures.
[[nodiscard]] executor::NodeType loadUpscalerNode(Stages& stages);

/// "load.diffusion_model": a model of several files, and a node for each part of it.
[[nodiscard]] std::vector<executor::NodeType> loadDiffusionModelNodes(Stages& stages);

/// "load.lora": a model as an adapter changes it.
[[nodiscard]] executor::NodeType loadLoraNode(Stages& stages);

/// "load.lora_stack": a model as several of them change it.
[[nodiscard]] executor::NodeType loadLoraStackNode(Stages& stages);

/// "load.controlnet": a network that makes a denoiser follow a hint.
[[nodiscard]] executor::NodeType loadControlNetNode(Stages& stages);

/// "load.ip_adapter": networks that make a denoiser follow pictures.
[[nodiscard]] executor::NodeType loadIpAdapterNode(Stages& stages);

/// "load.image": a picture file.
[[nodiscard]] executor::NodeType loadImageNode(Stages& stages);

/// "load.video": the frames of a video file.
[[nodiscard]] executor::NodeType loadVideoNode(Stages& stages);

}  // namespace lowtide::nodes
