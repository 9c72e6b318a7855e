#pragma once
// Parameters that several nodes have.

#include "plugin/host_api/host.hpp"

#include <string>
#include <utility>

namespace lowtide::nodes {

/// A share of something, from 0 to 1.
[[nodiscard]] inline ParamDesc fractionParam(std::string id,
                                             std::string label,
                                             std::string tooltip,
                                             double defaultValue,
                                             double step = 0.05) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Float,
            .defaultValue = defaultValue,
            .min = 0,
            .max = 1,
            .softMin = 0,
            .softMax = 1,
            .step = step};
}

/// Side of the tiles of an autoencoder, in pixels; 0: whole.
[[nodiscard]] inline ParamDesc tileParam(std::string tooltip) {
    return {.id = "tile",
            .label = "Tile",
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{0},
            .min = 0,
            .max = 4096,
            .softMin = 0,
            .softMax = 1024,
            .step = 64,
            .advanced = true};
}

}  // namespace lowtide::nodes
