#pragma once
// Attention: of tokens to each other, to a text and to images, and the rotations of its queries
// and keys.

#include "plugin/nn/blocks/layers.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <string>
#include <vector>

namespace lowtide::models {

/// Keys and values of images for a cross attention, in addition to its text's.
struct ImageTokens {
    size_t adapter = 0;   ///< whose pair of the attention's leaf makes keys and values of them
    at::Tensor tokens;    ///< [N, T, contextWidth]
    double strength = 1;  ///< of what is found of them in the result
    at::Tensor mask{};    ///< [1 or N, 1, H, W], of any size: where they speak; undefined: all over
};

/// What a cross attention reads for the queries of a feature map.
struct CrossInputs {
    const at::Tensor& context;               ///< [N, T, contextWidth]
    const std::vector<ImageTokens>& images;  ///< their sum is added to the text's attention
    int64_t height = 0;                      ///< of the map
    int64_t width = 0;
};

/// Names of the four projections below the attention's prefix.
struct AttentionNames {
    std::string query;
    std::string key;
    std::string value;
    std::string out;
};

/// As diffusers writes them: to_q, to_k, to_v, to_out.0.
[[nodiscard]] const AttentionNames& diffusersAttentionNames();

struct AttentionSizes {
    int64_t width = 0;         ///< of the queries and of the result
    int64_t contextWidth = 0;  ///< of what keys and values are made from
    int64_t heads = 1;
    Bias inputBias =
        Bias::None;  ///< of the query, key and value projections; the output always has one
};

enum class Mask : uint8_t { None, Causal };

/// Multi-head attention. Its projections are one leaf; behind them it may have pairs of others, one
/// for each adapter that was composed in: keys and values of images.
struct Attention {
    memory::LeafId leaf = 0;
    int64_t heads = 1;
    Bias inputBias = Bias::None;

    Attention(NetworkBuilder& builder,
              const std::string& prefix,
              const AttentionNames& names,
              const AttentionSizes& sizes);
    /// x [B, T, width], context [B, S, contextWidth] (x itself: self attention) -> [B, T, width].
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   const at::Tensor& context,
                                   Mask mask) const;
    /// Cross attention to a text and images: the text's, and for each of the images' tokens
    /// their own, by its strength and where its mask is. x [B, height * width, width] -> the same.
    /// Source: Ye et al. 2023; diffusers 0.42.1 IPAdapterAttnProcessor2_0.
    [[nodiscard]] at::Tensor applyToImages(Forward& forward,
                                           const at::Tensor& x,
                                           const CrossInputs& inputs) const;
    /// Causal self attention of x [R, T, width], with bits of each row that do not depend on the
    /// others. `biases`: of each row [T, T], added to its scores in place of the causal mask, -inf
    /// hides a token; or undefined.
    [[nodiscard]] at::Tensor applyToRows(Forward& forward,
                                         const at::Tensor& x,
                                         const std::vector<at::Tensor>& biases) const;

private:
    /// Weights of the leaf that are its own.
    [[nodiscard]] size_t ownWeights() const;
    /// `product` as kernels::linear, `mix` makes [B, H, T, D/H] of queries, keys and values of that
    /// form. It may ask for the projection of another input by weight `index` of the leaf, behind
    /// the attention's own.
    template <class Product, class Mix>
    [[nodiscard]] at::Tensor applyWith(Forward& forward,
                                       const at::Tensor& x,
                                       const at::Tensor& context,
                                       Product&& product,
                                       Mix&& mix) const;
};

/// Turns by which pairs of a head's numbers are rotated for each token: cosines and sines, f32 [1,
/// T, 1, headWidth / 2].
struct Rotation {
    at::Tensor cosines;
    at::Tensor sines;
};

/// The same on the device: cosines first.
[[nodiscard]] Rotation uploaded(const Rotation& rotation, c10::Device device);

/// One axis of the positions of tokens: how many there are along it, and numbers of a head for it.
struct RotaryAxis {
    int64_t count = 1;
    int64_t width = 2;
};

/// Of tokens on a grid, the last axis fastest, computed in f64 on the CPU.
/// Source: Su et al. 2021, eq. 15 for each axis.
[[nodiscard]] Rotation gridRotation(const std::vector<RotaryAxis>& axes);

/// Of tokens at `positions`, f64 [T, axes], on the CPU; `widths` are numbers of a head for each
/// axis. Source: diffusers 0.42.1, RopeEmbedder of transformer_z_image.py.
[[nodiscard]] Rotation rotationAt(const at::Tensor& positions, at::IntArrayRef widths, double base);

/// Rotates pairs of x [B, T, H, headWidth] whose numbers are half a head apart, in f32; the result
/// has the type of `x`. Source: transformers 5.23, apply_rotary_pos_emb of LlamaAttention.
[[nodiscard]] at::Tensor rotatedHalves(const at::Tensor& x, const Rotation& rotation);

/// Rotates neighbouring pairs of x [B, T, H, headWidth], in f32; the result has the type of `x`.
[[nodiscard]] at::Tensor rotated(const at::Tensor& x, const Rotation& rotation);

}  // namespace lowtide::models
