#include "plugin/nn/denoisers/unet2d_cut.hpp"

#include "plugin/base/error.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr size_t kDepthsOfLevel = 3;

}  // namespace

bool UNetCut::isAtMiddle(const UNet2DConfig& config) const {
    return level + 1 == config.levels.size() && upUnit == 0;
}

int deepestCut(const UNet2DConfig& config) {
    const size_t whole = config.levels.size() * kDepthsOfLevel;
    if (config.midTransformer > 0) {
        return static_cast<int>(whole);
    }
    // Without a middle block the last unit of the way down must be among what is left out.
    const auto layers = static_cast<size_t>(config.levels.back().layers);
    return static_cast<int>(whole - kDepthsOfLevel + std::min(layers, kDepthsOfLevel) - 1);
}

int firstLevelCut() {
    return static_cast<int>(kDepthsOfLevel) - 1;
}

UNetCut cutAt(const UNet2DConfig& config, int depth) {
    LOWTIDE_ASSERT(depth >= 0 && depth <= deepestCut(config));
    const size_t wanted = static_cast<size_t>(depth) / kDepthsOfLevel;
    const size_t level = std::min(wanted, config.levels.size() - 1);
    const auto layers = static_cast<size_t>(config.levels[level].layers);
    const size_t part = wanted == level ? static_cast<size_t>(depth) % kDepthsOfLevel : layers;
    const size_t units = std::min(part, layers);
    return {.level = level, .downUnits = units, .upUnit = layers - units};
}

}  // namespace lowtide::models
