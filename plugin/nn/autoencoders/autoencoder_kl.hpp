#pragma once

#include "plugin/nn/autoencoders/autoencoder_blocks.hpp"

#include <memory>
#include <string_view>

namespace lowtide::models {

/// The variational autoencoder of Stable Diffusion. Source: Rombach et al. 2022; diffusers 0.42.1
/// AutoencoderKL. The tree is made from headers; weights are read through the pass.
class AutoencoderKL {
public:
    /// `role`: of the component.
    AutoencoderKL(const AutoencoderConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const AutoencoderConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Unscaled latents [B, C, h, w] -> pictures [B, 3, H, W], about -1..1.
    [[nodiscard]] at::Tensor decode(Pass& pass, const at::Tensor& latents) const;
    /// Pictures [B, 3, H, W] in -1..1 -> mean and log variance [B, 2 C, h, w].
    [[nodiscard]] at::Tensor encode(Pass& pass, const at::Tensor& pixels) const;

private:
    struct Layers {
        AutoencoderEncoder encoder;
        std::optional<Conv2d> quant;
        std::optional<Conv2d> postQuant;
        AutoencoderDecoder decoder;

        Layers(NetworkBuilder& builder, const AutoencoderConfig& config);
    };

    AutoencoderConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
