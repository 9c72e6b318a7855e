#pragma once
// What checkpoints in the diffusers layout have in common, for families that read it.

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/latent_space.hpp"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Error{Unsupported} on what a user chose the component with: the checkpoint, or a file of it.
[[noreturn]] void refuseComponent(const Checkpoint& checkpoint,
                                  const char* component,
                                  const Message& problem);

/// What a checkpoint lacks and another file can give.
class MissingComponent : public Error {
public:
    MissingComponent(const Error& error, std::string component)
        : Error(error), component_(std::move(component)) {}

    /// In the diffusers layout: "vae", "text_encoder_4".
    [[nodiscard]] const std::string& component() const noexcept { return component_; }

private:
    std::string component_;
};

/// Error{Unsupported} as above unless the component is of one of `classes`; `family` is who needs
/// it. MissingComponent where the checkpoint has none.
void requireComponent(const Checkpoint& checkpoint,
                      std::string_view family,
                      const char* component,
                      std::initializer_list<std::string_view> classes);

/// Most published files of text encoders hold none. Error{NotFound} names the `files` of the model
/// that was published with it, and the folder next to the file that may hold them.
void requireTokenizer(const Checkpoint& checkpoint,
                      std::string_view encoder,
                      const std::string& tokenizer,
                      const Message& files);

/// unet/ and vae/, as the family's denoiser and autoencoder: configs and headers, no weight.
[[nodiscard]] UNet2DCondition openUNet(Checkpoint& checkpoint);
[[nodiscard]] AutoencoderKL openAutoencoder(Checkpoint& checkpoint);

/// Error{Unsupported} unless the denoiser works on the autoencoder's latents, alone or with a
/// mask and a masked image.
void checkChannels(const Checkpoint& checkpoint,
                   const UNet2DConfig& denoiser,
                   const AutoencoderConfig& autoencoder);

/// A text encoder, and how wide it gives texts.
struct EncoderWidth {
    std::string role;
    int64_t width = 0;
};

/// Error{Unsupported} unless the denoiser reads texts as wide as the encoders give them, next to
/// each other.
void checkContext(const Checkpoint& checkpoint,
                  const UNet2DConfig& denoiser,
                  const std::vector<EncoderWidth>& encoders);

/// Error{Unsupported}: the denoiser reads texts `read` wide and the checkpoint, as `giver` states,
/// has them `given` wide.
[[noreturn]] void refuseContext(const Checkpoint& checkpoint,
                                int64_t read,
                                int64_t given,
                                const Message& giver);

/// scheduler/scheduler_config.json, whose clean latents have no bound, whatever it states
/// (docs/decisions/0037). What is no flag is left for its reader to refuse.
[[nodiscard]] Json readScheduler(Checkpoint& checkpoint);

/// How latents look: what the checkpoint states itself in vae/latent_to_rgb.json, else `usual`, the
/// figures for latents of `usualChannels`; nothing for others.
[[nodiscard]] std::optional<LatentToRgb> latentToRgbOr(Checkpoint& checkpoint,
                                                       int64_t latentChannels,
                                                       int64_t usualChannels,
                                                       const std::function<LatentToRgb()>& usual);

}  // namespace lowtide::models
