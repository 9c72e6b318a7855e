#pragma once

#include "plugin/models/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

inline constexpr std::string_view kTextEncoder2 = "text_encoder_2";

/// Of a base model; a refiner lacks the first.
[[nodiscard]] inline std::vector<ComponentDesc> sdxlComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder"},
            {.role = std::string(kTextEncoder2), .label = "Text encoder 2"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

}  // namespace lowtide::models
