#pragma once
// The autoencoder of Stable Diffusion: its blocks, encoder and decoder.

#include "plugin/nn/autoencoders/autoencoder_config.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// One head of attention over all pixels, with a shortcut. Names are those of diffusers, or the
/// older query, key, value and proj_attn of published files.
struct PixelAttention {
    GroupNorm norm;
    Attention attention;

    PixelAttention(NetworkBuilder& builder,
                   const std::string& name,
                   int64_t channels,
                   int64_t groups);
    /// [B, C, H, W] -> [B, C, H, W].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// Resnet, attention where the config wants it, resnet.
struct AutoencoderMid {
    ResnetBlock first;
    std::optional<PixelAttention> attention;
    ResnetBlock last;

    AutoencoderMid(NetworkBuilder& builder,
                   const std::string& name,
                   const AutoencoderConfig& config);
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// Image to moments. Source: diffusers Encoder with DownEncoderBlock2D.
struct AutoencoderEncoder {
    struct Level {
        std::vector<ResnetBlock> resnets;
        std::optional<Conv2d> shrink;
    };

    Conv2d input;
    std::vector<Level> levels;
    AutoencoderMid mid;
    GroupNorm outputNorm;
    Conv2d output;

    AutoencoderEncoder(NetworkBuilder& builder, const AutoencoderConfig& config);
    /// [B, 3, H, W] -> [B, 2 C, h, w].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& pixels) const;
};

/// Latent to image. Source: diffusers Decoder with UpDecoderBlock2D.
struct AutoencoderDecoder {
    struct Level {
        std::vector<ResnetBlock> resnets;
        std::optional<Conv2d> grow;
    };

    Conv2d input;
    AutoencoderMid mid;
    std::vector<Level> levels;  ///< from the smallest image to the largest
    GroupNorm outputNorm;
    Conv2d output;

    AutoencoderDecoder(NetworkBuilder& builder, const AutoencoderConfig& config);
    /// [B, C, h, w] -> [B, 3, H, W].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& latents) const;
};

/// The variational autoencoder of Stable Diffusion. Source: Rombach et al. 2022; diffusers 0.42.1
/// AutoencoderKL. The tree is made from headers; weights are read through the forward.
class AutoencoderKL {
public:
    /// `role`: of the component.
    AutoencoderKL(const AutoencoderConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const AutoencoderConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Unscaled latents [B, C, h, w] -> images [B, 3, H, W], about -1..1.
    [[nodiscard]] at::Tensor decode(Forward& forward, const at::Tensor& latents) const;
    /// Images [B, 3, H, W] in -1..1 -> mean and log variance [B, 2 C, h, w].
    [[nodiscard]] at::Tensor encode(Forward& forward, const at::Tensor& pixels) const;

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
