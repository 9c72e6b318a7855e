#pragma once
// The encoder of T5 and UMT5, and its settings.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/layers.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of text_encoder/config.json of a T5 or UMT5 encoder. Missing ones get the defaults of
/// transformers' UMT5Config.
struct T5EncoderConfig {
    int64_t vocabularySize = 250112;
    int64_t width = 512;     ///< d_model
    int64_t headWidth = 64;  ///< d_kv
    int64_t heads = 6;
    int64_t innerWidth = 1024;  ///< d_ff
    int64_t layers = 8;
    int64_t buckets = 32;  ///< relative_attention_num_buckets
    int64_t mostDistance = 128;
    double epsilon = 1e-6;
    bool hasOwnBiases =
        true;  ///< each layer has a table of biases (UMT5); else the first one alone
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] T5EncoderConfig readT5EncoderConfig(const Json& json, const std::string& what);

/// What a T5 encoder gives of the padding behind a text.
enum class T5Padding : uint8_t {
    Zero,  ///< as pipelines give it that cut texts at their ends
    Kept,  ///< states like any others: of a token that sees the text and is seen by none
    Seen   ///< likewise, and all tokens see it: rows are as long as they are wide
};

/// The encoder of T5 and UMT5: pre-norm layers that attend by the content of tokens and how far
/// they are apart. States are f32 between the layers, whatever computes. Source: Raffel et al.
/// 2020; Chung et al. 2023; transformers 5.23 UMT5EncoderModel. The tree is made from headers;
/// weights are read through the forward.
class T5Encoder {
public:
    /// `role`: of the component, and before recorded names.
    T5Encoder(const T5EncoderConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const T5EncoderConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// One text in each row, behind it padding that no token sees (or all: T5Padding::Seen). ids
    /// int64 [R, T] on the CPU, `lengths`: tokens of each row, at least 1. Records
    /// ROLE.last_hidden_state of every row. Returns [R, T, width] f32.
    [[nodiscard]] at::Tensor encode(Forward& forward,
                                    const at::Tensor& ids,
                                    std::span<const int64_t> lengths,
                                    T5Padding padding) const;

private:
    struct Layer {
        RmsNorm attentionNorm;
        Linear query;
        Linear key;
        Linear value;
        Linear out;
        std::optional<memory::LeafId> biases;
        RmsNorm feedNorm;
        Linear gate;
        Linear inner;
        Linear outer;

        Layer(NetworkBuilder& builder,
              const std::string& name,
              const T5EncoderConfig& config,
              bool hasBiases);
    };

    struct Layers {
        Embedding tokens;
        std::vector<Layer> layers;
        RmsNorm finalNorm;

        Layers(NetworkBuilder& builder, const T5EncoderConfig& config);
    };

    /// [1, heads, T, T] of a layer's table.
    [[nodiscard]] at::Tensor biasesOf(Forward& forward,
                                      memory::LeafId table,
                                      const at::Tensor& buckets) const;
    /// `scores`: added to those of every head, [R or 1, heads, T, T].
    [[nodiscard]] at::Tensor attend(Forward& forward,
                                    const Layer& layer,
                                    const at::Tensor& hidden,
                                    const at::Tensor& scores) const;

    T5EncoderConfig config_;
    std::string role_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

/// Which row of a table of biases tokens that are so far apart take: int64 [count, count] on the
/// CPU, the token that sees first. Source: Raffel et al. 2020, section 2.1; transformers 5.23
/// UMT5Attention, as in an encoder.
[[nodiscard]] at::Tensor distanceBuckets(int64_t count, int64_t buckets, int64_t mostDistance);

}  // namespace lowtide::models
