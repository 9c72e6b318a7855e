#pragma once
// What checkpoints in the diffusers layout have in common, for families that read it.

#include "plugin/models/autoencoders/autoencoder_kl.hpp"
#include "plugin/models/checkpoint.hpp"
#include "plugin/models/denoisers/unet2d_condition.hpp"
#include "plugin/models/latent_to_rgb.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// Error{Unsupported} on "checkpoint" unless the component is of one of `classes`; `family` is who
/// needs it.
void requireComponent(const Checkpoint& checkpoint,
                      std::string_view family,
                      const char* component,
                      std::initializer_list<std::string_view> classes);

/// unet/ and vae/, as the family's denoiser and autoencoder: configs and headers, no weight.
[[nodiscard]] UNet2DCondition openUNet(Checkpoint& checkpoint);
[[nodiscard]] AutoencoderKL openAutoencoder(Checkpoint& checkpoint);

/// Error{Unsupported} unless the denoiser works on the autoencoder's latents, alone or beside a
/// mask and a masked picture.
void checkChannels(const Checkpoint& checkpoint,
                   const UNet2DConfig& denoiser,
                   const AutoencoderConfig& autoencoder);

/// scheduler/scheduler_config.json, whose clean latents have no bound, whatever it says
/// (docs/decisions/0037). What is no flag is left for its reader to refuse.
[[nodiscard]] Json readScheduler(Checkpoint& checkpoint);

/// How latents look, where the checkpoint says so itself: vae/latent_to_rgb.json.
[[nodiscard]] std::optional<LatentToRgb> ownLatentToRgb(Checkpoint& checkpoint,
                                                        int64_t latentChannels);

}  // namespace lowtide::models
