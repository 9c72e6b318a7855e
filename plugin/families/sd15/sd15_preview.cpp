#include "plugin/families/sd15/sd15_preview.hpp"

#include "plugin/checkpoints/diffusers_parts.hpp"

namespace lowtide::models {

namespace {

/// Figures of SD1_5_LATENT_RGB_FACTORS in InvokeAI's step_callback.py: the least squares of decoded
/// pictures over their latents, times the scaling factor.
const std::vector<LatentToRgb::Colour>& ofChannels() {
    static const std::vector<LatentToRgb::Colour> kColours = {{0.3444, 0.1385, 0.0670},
                                                              {0.1247, 0.4027, 0.1494},
                                                              {-0.3192, 0.2513, 0.2103},
                                                              {-0.1307, -0.1874, -0.7445}};
    return kColours;
}

}  // namespace

std::optional<LatentToRgb> latentToRgbOf(Checkpoint& checkpoint, int64_t latentChannels) {
    return latentToRgbOr(checkpoint, latentChannels, static_cast<int64_t>(ofChannels().size()), [] {
        return LatentToRgb{.ofChannels = ofChannels()};
    });
}

}  // namespace lowtide::models
