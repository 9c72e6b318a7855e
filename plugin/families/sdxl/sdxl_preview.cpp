#include "plugin/families/sdxl/sdxl_preview.hpp"

#include "plugin/checkpoints/diffusers_parts.hpp"

namespace lowtide::models {

namespace {

/// For latents of this scaling factor and no mean and deviation.
constexpr double kScaleOfFigures = 0.13025;

/// SDXL_LATENT_RGB_FACTORS in InvokeAI's step_callback.py.
const std::vector<LatentToRgb::Colour>& sdxlColours() {
    static const std::vector<LatentToRgb::Colour> kColours = {{0.3816, 0.4930, 0.5320},
                                                              {-0.3753, 0.1631, 0.1739},
                                                              {0.1770, 0.3588, -0.2048},
                                                              {-0.4350, -0.2644, -0.4289}};
    return kColours;
}

/// The figures are those of one autoencoder's latents; a checkpoint that scales these otherwise
/// (playground-v2.5: latents_mean, latents_std) has them at its own scale.
LatentToRgb atScaleOf(const AutoencoderConfig& autoencoder) {
    LatentToRgb map;
    for (size_t channel = 0; channel < sdxlColours().size(); ++channel) {
        LatentToRgb::Colour colour = sdxlColours()[channel];
        const double deviation =
            autoencoder.latentsDeviation.empty() ? 1 : autoencoder.latentsDeviation[channel];
        const double mean = autoencoder.latentsMean.empty() ? 0 : autoencoder.latentsMean[channel];
        for (size_t i = 0; i < colour.size(); ++i) {
            map.ofZero[i] += colour[i] * kScaleOfFigures * mean;
            colour[i] *= kScaleOfFigures * deviation / autoencoder.scalingFactor;
        }
        map.ofChannels.push_back(colour);
    }
    return map;
}

}  // namespace

std::optional<LatentToRgb> sdxlLatentToRgb(Checkpoint& checkpoint,
                                           const AutoencoderConfig& autoencoder) {
    return latentToRgbOr(
        checkpoint, autoencoder.latentChannels, static_cast<int64_t>(sdxlColours().size()), [&] {
            return atScaleOf(autoencoder);
        });
}

}  // namespace lowtide::models
