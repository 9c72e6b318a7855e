#pragma once
// Stable Diffusion XL and its refiner: what they are told by, their components, prompts and preview
// colours.

#include "plugin/nn/model.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Of a base model; a refiner lacks the first.
[[nodiscard]] inline std::vector<ComponentDesc> sdxlComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder"},
            {.role = std::string(kTextEncoder2), .label = "Text encoder 2"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

}  // namespace lowtide::models
