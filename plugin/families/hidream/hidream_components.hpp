#pragma once

#include "plugin/nn/model.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Files alone may lack each of the first three.
[[nodiscard]] inline std::vector<ComponentDesc> hidreamComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder, CLIP-L"},
            {.role = std::string(kTextEncoder2), .label = "Text encoder 2, CLIP-G"},
            {.role = std::string(kTextEncoder3), .label = "Text encoder 3, T5"},
            {.role = std::string(kTextEncoder4), .label = "Text encoder 4, Llama"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

}  // namespace lowtide::models
