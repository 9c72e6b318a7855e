#pragma once

#include "plugin/nn/model.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Text to video lacks the image encoder, WAN 2.1 the second denoiser.
[[nodiscard]] inline std::vector<ComponentDesc> wanComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder"},
            {.role = std::string(kImageEncoder), .label = "Image encoder"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kSecondDenoiser), .label = "Denoiser, low noise"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

}  // namespace lowtide::models
