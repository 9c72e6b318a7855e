#pragma once

#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/blocks/picture_tokens.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

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
/// for each adapter that was composed in: keys and values of pictures.
struct Attention {
    memory::LeafId leaf = 0;
    int64_t heads = 1;
    Bias inputBias = Bias::None;

    Attention(NetworkBuilder& builder,
              const std::string& prefix,
              const AttentionNames& names,
              const AttentionSizes& sizes);
    /// x [B, T, width], context [B, S, contextWidth] (x itself: self attention) -> [B, T, width].
    [[nodiscard]] at::Tensor apply(Pass& pass,
                                   const at::Tensor& x,
                                   const at::Tensor& context,
                                   Mask mask) const;
    /// Cross attention to a text and pictures: the text's, and for each of the pictures' tokens
    /// their own, by its strength and where its mask is. x [B, height * width, width] -> the same.
    /// Source: Ye et al. 2023; diffusers 0.42.1 IPAdapterAttnProcessor2_0.
    [[nodiscard]] at::Tensor applyToPictures(Pass& pass,
                                             const at::Tensor& x,
                                             const CrossInputs& inputs) const;
    /// Causal self attention of x [R, T, width], with bits of each row that do not depend on the
    /// others. `biases`: of each row [T, T], added to its scores in place of the causal mask, -inf
    /// hides a token; or undefined.
    [[nodiscard]] at::Tensor applyToRows(Pass& pass,
                                         const at::Tensor& x,
                                         const std::vector<at::Tensor>& biases) const;

private:
    /// Weights of the leaf that are its own.
    [[nodiscard]] size_t ownWeights() const;
    /// `product` as kernels::linear, `mix` makes [B, H, T, D/H] of queries, keys and values of that
    /// form. It may ask for the projection of another input by weight `index` of the leaf, behind
    /// the attention's own.
    template <class Product, class Mix>
    [[nodiscard]] at::Tensor applyWith(Pass& pass,
                                       const at::Tensor& x,
                                       const at::Tensor& context,
                                       Product&& product,
                                       Mix&& mix) const;
};

}  // namespace lowtide::models
