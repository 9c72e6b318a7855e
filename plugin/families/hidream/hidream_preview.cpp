#include "plugin/families/hidream/hidream_preview.hpp"

#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/nn/flux_colours.hpp"

namespace lowtide::models {

std::optional<LatentToRgb> hidreamLatentToRgb(Checkpoint& checkpoint, int64_t latentChannels) {
    return latentToRgbOr(checkpoint,
                         latentChannels,
                         static_cast<int64_t>(fluxColours().ofChannels.size()),
                         fluxColours);
}

}  // namespace lowtide::models
