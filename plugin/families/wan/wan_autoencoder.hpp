#pragma once

#include "plugin/families/wan/wan_autoencoder_blocks.hpp"

#include <memory>
#include <string_view>

namespace lowtide::models {

/// The causal autoencoder of WAN 2.1's videos: a latent's frame, and the frames that it stands for,
/// at a time; layers keep the two frames before. Source: Wan et al. 2025, section 4.1; diffusers
/// 0.42.1 AutoencoderKLWan. The tree is made from headers; weights are read through the forward.
class WanAutoencoder {
public:
    /// `role`: of the component.
    WanAutoencoder(const WanAutoencoderConfig& config,
                   const WeightMap& weights,
                   std::string_view role);

    [[nodiscard]] const WanAutoencoderConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// One video: unscaled latents [1, C, F, h, w] -> its frames [f, 3, H, W] in -1..1.
    [[nodiscard]] at::Tensor decode(Forward& forward, const at::Tensor& latents) const;
    /// One video: frames [f, 3, H, W] in -1..1 -> mean and log variance [1, 2 C, F, h, w]. What is
    /// behind the last whole chunk is left out.
    [[nodiscard]] at::Tensor encode(Forward& forward, const at::Tensor& frames) const;

private:
    struct Layers {
        WanEncoder encoder;
        PixelProduct quant;
        PixelProduct postQuant;
        WanDecoder decoder;

        Layers(NetworkBuilder& builder, const WanAutoencoderConfig& config);
    };

    WanAutoencoderConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
