#pragma once

#include "plugin/nn/blocks/layers.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace lowtide::models {

/// Of each head of a resampler.
inline constexpr int64_t kResamplerHead = 64;

/// Sizes of the part of an IP-Adapter that makes tokens of the image encoder's output; determined
/// by the file's shapes.
struct ImageProjectionConfig {
    bool isResampler = false;  ///< IP-Adapter Plus: it reads all states, else the pooled one
    int64_t visionWidth = 0;   ///< of what the encoder gives
    int64_t tokens = 0;        ///< that an image becomes
    int64_t width = 0;         ///< of a token: as wide as the denoiser's text
    // Of a resampler:
    int64_t layers = 0;
    int64_t innerWidth = 0;
    int64_t headsWidth = 0;  ///< of all heads together; each is 64 wide
    int64_t feedWidth = 0;   ///< inside of the feed-forward networks
};

/// A linear layer that makes several tokens of the pooled state. Source: diffusers 0.42.1
/// ImageProjection.
struct PooledProjection {
    Linear projection;
    LayerNorm norm;
    int64_t tokens;

    PooledProjection(NetworkBuilder& builder, const ImageProjectionConfig& config);
    /// [N, visionWidth] -> [N, tokens, width].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& visionEmbeds) const;
};

/// Learnt tokens that look at all states of the encoder, layer by layer. Source: diffusers 0.42.1
/// IPAdapterPlusImageProjection; Alayrac et al. 2022.
struct ImageResampler {
    struct Layer {
        LayerNorm normVision;
        LayerNorm normTokens;
        memory::LeafId attention;  ///< to_q, to_kv, to_out, without biases
        LayerNorm normFeed;
        Linear inner;
        Linear outer;

        Layer(NetworkBuilder& builder,
              const std::string& name,
              const ImageProjectionConfig& config);
        [[nodiscard]] at::Tensor apply(Forward& forward,
                                       const at::Tensor& visionEmbeds,
                                       const at::Tensor& tokens) const;
        /// What `tokens` find in `visionEmbeds` and in each other.
        [[nodiscard]] at::Tensor attend(Forward& forward,
                                        const at::Tensor& visionEmbeds,
                                        const at::Tensor& tokens) const;
    };

    memory::LeafId tokens;
    Linear input;
    std::vector<Layer> layers;
    Linear output;
    LayerNorm norm;

    ImageResampler(NetworkBuilder& builder, const ImageProjectionConfig& config);
    /// [N, S, visionWidth] -> [N, tokens, width].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& visionEmbeds) const;
};

/// The projection of one IP-Adapter. The tree is made from headers; weights are read through the
/// forward.
class ImageProjection {
public:
    /// `weights`: under the names below "image_proj.". `role`: of the component.
    ImageProjection(const ImageProjectionConfig& config,
                    const WeightMap& weights,
                    std::string_view role);

    [[nodiscard]] const ImageProjectionConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// What the image encoder gave -> [N, tokens, width] f32. One forward.
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& visionEmbeds) const;

private:
    ImageProjectionConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const std::variant<PooledProjection, ImageResampler>> layers_;
};

}  // namespace lowtide::models
